package dev.sluice.target.mariadb;

import dev.sluice.sink.target.StatementParameters;
import dev.sluice.sink.target.StatementPipeline;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.mariadb.value.Slice;
import dev.sluice.target.mariadb.value.ValueForm;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends statements in their order. The driver sends those of one kind that follow each other
 * without waiting for each answer. Owned by the apply thread.
 */
final class MariadbPipeline implements StatementPipeline {
  private final Connection jdbc;
  private final List<Added> added = new ArrayList<>();

  MariadbPipeline(Connection jdbc) {
    this.jdbc = jdbc;
  }

  /** A value for a column; null for NULL. */
  private record Value(TargetColumn column, String text) {
    void bind(PreparedStatement statement, int parameter) throws SQLException {
      if (text == null) {
        ValueForm.requireNullIsKept(column);
        statement.setNull(parameter, Types.NULL);
      } else {
        ValueForm.of(column).orElseThrow().bind(statement, parameter, Slice.of(text));
      }
    }
  }

  private record Added(String sql, List<Value> values) implements Values {
    @Override
    public void add(TargetColumn column, String text) {
      values.add(new Value(column, text));
    }
  }

  /** The driver's statements are texts, of which the server keeps none. */
  @Override
  public boolean hasRoomFor(String sql, int size) {
    return true;
  }

  @Override
  public Values add(String sql, int size) {
    Added statement = new Added(sql, new ArrayList<>());
    added.add(statement);
    return statement;
  }

  @Override
  public long[] execute() throws SQLException {
    List<Added> all = List.copyOf(added);
    clear();
    long[] changed = new long[all.size()];
    int from = 0;
    while (from < all.size()) {
      int to = from + 1;
      while (to < all.size() && all.get(to).sql().equals(all.get(from).sql())) {
        to++;
      }
      long[] counts = run(all.subList(from, to));
      System.arraycopy(counts, 0, changed, from, counts.length);
      from = to;
    }
    return changed;
  }

  private long[] run(List<Added> ofOneKind) throws SQLException {
    String sql = ofOneKind.get(0).sql();
    StatementParameters parameters = StatementParameters.of(sql);
    try (PreparedStatement statement = jdbc.prepareStatement(sql)) {
      for (Added each : ofOneKind) {
        for (int i = 0; i < parameters.values().size(); i++) {
          each.values().get(parameters.values().get(i)).bind(statement, i + 1);
        }
        statement.addBatch();
      }
      return statement.executeLargeBatch();
    } catch (BatchUpdateException e) {
      // Its cause is the server's error.
      throw e.getCause() instanceof SQLException cause ? cause : e;
    }
  }

  @Override
  public void clear() {
    added.clear();
  }
}
