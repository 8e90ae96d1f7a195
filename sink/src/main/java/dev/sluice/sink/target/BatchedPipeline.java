package dev.sluice.sink.target;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A pipeline for drivers that know batches of one statement only: statements go in their order,
 * those of one kind that follow each other as a batch. Nothing stays prepared. Owned by the apply
 * thread.
 */
public final class BatchedPipeline implements StatementPipeline {
  private final Connection jdbc;
  private final Binding binding;
  private final List<Added> added = new ArrayList<>();

  /** Sets a parameter of a statement. Stateless. */
  @FunctionalInterface
  public interface Binding {
    /**
     * @param column whose form of values counts
     * @param text the neutral text form; null for NULL
     */
    void bind(PreparedStatement statement, int parameter, TargetColumn column, String text)
        throws SQLException;
  }

  /**
   * @param binding how the target takes a value
   */
  public BatchedPipeline(Connection jdbc, Binding binding) {
    this.jdbc = jdbc;
    this.binding = binding;
  }

  /** A value for a column; null for NULL. */
  private record Value(TargetColumn column, String text) {}

  private record Added(String sql, List<Value> values) implements Values {
    @Override
    public void add(TargetColumn column, String text) {
      values.add(new Value(column, text));
    }
  }

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
    List<Integer> parameters = StatementParameters.of(sql).values();
    try (PreparedStatement statement = jdbc.prepareStatement(sql)) {
      for (Added each : ofOneKind) {
        for (int i = 0; i < parameters.size(); i++) {
          Value value = each.values().get(parameters.get(i));
          binding.bind(statement, i + 1, value.column(), value.text());
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
