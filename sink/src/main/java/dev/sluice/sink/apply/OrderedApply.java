package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.ApplySession.attempt;

import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.window.NetChange;
import dev.sluice.sink.window.TableCounters;
import java.sql.BatchUpdateException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Applies changes one by one, in the order in which the source made them. Consecutive changes of
 * one kind go to the target together, without waiting for each answer. Owned by the apply thread;
 * single use.
 */
final class OrderedApply {
  /** Bounds what both sides hold of a batch. */
  private static final int BATCH_ROWS = 500;

  private static final long BATCH_BYTES = 1024 * 1024;

  private enum Operation {
    INSERT,
    UPDATE,
    DELETE
  }

  /**
   * What the changes of one batch have in common.
   *
   * @param unchanged source columns that an update leaves as they are
   * @param keySet whether an update sets the key
   */
  private record Kind(TablePlan plan, Operation operation, BitSet unchanged, boolean keySet) {}

  private final ApplySession session;
  private final BiConsumer<TablePlan, TableCounters> counters;
  private final List<RowChange> batch = new ArrayList<>();
  private Kind kind;
  private long batchBytes;

  /**
   * @param counters told what was applied to each table
   */
  OrderedApply(ApplySession session, BiConsumer<TablePlan, TableCounters> counters) {
    this.session = session;
    this.counters = counters;
  }

  /** Takes the next change; it may wait for {@link #flush}. */
  void add(TablePlan plan, RowChange change) {
    if (plan.hasColumnsBeyondUpdate() && change.match() != null && plan.schema().hasKey()) {
      flush();
      NetChange alone = new NetChange(change.match(), change.row());
      counters.accept(plan, new KeyedApply(session, plan, List.of(alone)).apply(false));
      return;
    }
    Kind next = kindOf(plan, change);
    int limit = Math.min(BATCH_ROWS, session.chunkSize(plan));
    if (!next.equals(kind) || batch.size() >= limit || batchBytes > BATCH_BYTES) {
      flush();
      kind = next;
    }
    batch.add(change);
    batchBytes += change.match() == null ? 0 : change.match().retainedBytes();
    batchBytes += change.row() == null ? 0 : change.row().retainedBytes();
  }

  /** Applies what was added. */
  void flush() {
    if (batch.isEmpty()) {
      return;
    }
    String what = kind.operation().name().toLowerCase(java.util.Locale.ROOT);
    String attempted = "%s on %s".formatted(what, kind.plan().table().id());
    int[] changed = attempt(attempted, this::execute);
    for (int i = 0; i < changed.length; i++) {
      if (changed[i] != 1) {
        RowChange change = batch.get(i);
        throw new SluiceException.Data(
            "%s of %s was to change 1 row and changed %d"
                .formatted(
                    attempted, change.match() == null ? change.row() : change.match(), changed[i]),
            null);
      }
    }
    long count = batch.size();
    counters.accept(
        kind.plan(),
        switch (kind.operation()) {
          case INSERT -> new TableCounters(count, 0, 0, 0);
          case UPDATE -> new TableCounters(0, count, 0, 0);
          case DELETE -> new TableCounters(0, 0, count, 0);
        });
    batch.clear();
    batchBytes = 0;
  }

  private int[] execute() throws SQLException {
    session.count();
    try (PreparedStatement statement = session.connection().jdbc().prepareStatement(sql())) {
      for (RowChange change : batch) {
        bind(statement, change);
        statement.addBatch();
      }
      return statement.executeBatch();
    } catch (BatchUpdateException e) {
      // The batch's own message repeats the whole statement; what the server said is behind it.
      throw e.getNextException() == null ? e : e.getNextException();
    }
  }

  private Kind kindOf(TablePlan plan, RowChange change) {
    BitSet unchanged = new BitSet();
    if (change.row() == null) {
      return new Kind(plan, Operation.DELETE, unchanged, false);
    }
    ValueCursor cursor = change.row().cursor();
    for (int source = 0; cursor.next(); source++) {
      if (cursor.isUnchanged()) {
        unchanged.set(source);
      }
    }
    if (change.match() == null) {
      if (!unchanged.isEmpty()) {
        throw new SluiceException.Fatal(
            "a row to be inserted into %s has no value for column %s: %s"
                .formatted(
                    plan.table().id(), plan.column(unchanged.nextSetBit(0)).name(), change.row()),
            null);
      }
      return new Kind(plan, Operation.INSERT, unchanged, false);
    }
    boolean keySet = !plan.schema().hasKey() || !plan.keepsItsKey(change.match(), change.row());
    return new Kind(plan, Operation.UPDATE, unchanged, keySet);
  }

  private String sql() {
    TablePlan plan = kind.plan();
    return switch (kind.operation()) {
      case INSERT ->
          "INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE VALUES (%s)"
              .formatted(
                  plan.table().id().quoted(),
                  KeyedStatements.names(plan, plan.written()),
                  parameters(plan, plan.written()));
      case DELETE -> "DELETE FROM %s AS t WHERE %s".formatted(plan.table().rows(), matches());
      case UPDATE ->
          set().length == 0
              // An update that sets nothing must still find its row.
              ? "UPDATE %s AS t SET %s = t.%s WHERE %s"
                  .formatted(
                      plan.table().rows(),
                      plan.column(plan.written()[0]).quoted(),
                      plan.column(plan.written()[0]).quoted(),
                      matches())
              : "UPDATE %s AS t SET %s WHERE %s"
                  .formatted(
                      plan.table().rows(),
                      Arrays.stream(set())
                          .mapToObj(
                              source ->
                                  plan.column(source).quoted() + " = " + parameter(plan, source))
                          .collect(Collectors.joining(", ")),
                      matches());
    };
  }

  /** The columns that the batch's updates set. */
  private int[] set() {
    return IntStream.of(kind.keySet() ? kind.plan().written() : kind.plan().settable())
        .filter(source -> !kind.unchanged().get(source))
        .toArray();
  }

  private String matches() {
    TablePlan plan = kind.plan();
    if (plan.schema().hasKey()) {
      return Arrays.stream(plan.match())
          .mapToObj(
              source ->
                  "t.%s %s %s"
                      .formatted(
                          plan.column(source).quoted(),
                          plan.column(source).equality(),
                          parameter(plan, source)))
          .collect(Collectors.joining(" AND "));
    }
    // Of several equal rows any one will do, but only one.
    return """
        (t.tableoid, t.ctid) = (
          SELECT t.tableoid, t.ctid FROM %s AS t
          WHERE ROW(%s)::record OPERATOR(pg_catalog.*=) ROW(%s)::record LIMIT 1)"""
        .formatted(
            plan.table().rows(),
            Arrays.stream(plan.match())
                .mapToObj(source -> KeyedStatements.image(plan, source))
                .collect(Collectors.joining(", ")),
            parameters(plan, plan.match()));
  }

  private static String parameters(TablePlan plan, int[] sources) {
    return Arrays.stream(sources)
        .mapToObj(source -> parameter(plan, source))
        .collect(Collectors.joining(", "));
  }

  private static String parameter(TablePlan plan, int source) {
    return "?::" + plan.column(source).bareType();
  }

  private void bind(PreparedStatement statement, RowChange change) throws SQLException {
    int parameter = 1;
    switch (kind.operation()) {
      case INSERT -> bindRow(statement, parameter, change.row(), kind.plan().written());
      case DELETE -> bindMatch(statement, parameter, change.match());
      case UPDATE -> {
        parameter = bindRow(statement, parameter, change.row(), set());
        bindMatch(statement, parameter, change.match());
      }
    }
  }

  private static int bindRow(PreparedStatement statement, int first, Row row, int[] sources)
      throws SQLException {
    int parameter = first;
    int next = 0;
    ValueCursor cursor = row.cursor();
    for (int source = 0; next < sources.length && cursor.next(); source++) {
      if (sources[next] == source) {
        statement.setString(parameter++, cursor.hasBytes() ? cursor.text() : null);
        next++;
      }
    }
    return parameter;
  }

  private static void bindMatch(PreparedStatement statement, int first, Row match)
      throws SQLException {
    int parameter = first;
    ValueCursor cursor = match.cursor();
    while (cursor.next()) {
      statement.setString(parameter++, cursor.hasBytes() ? cursor.text() : null);
    }
  }
}
