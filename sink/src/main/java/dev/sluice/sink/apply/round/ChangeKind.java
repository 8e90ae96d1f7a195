package dev.sluice.sink.apply.round;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.OrderedStatements;
import dev.sluice.sink.target.TargetColumn;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The common properties of row changes that one prepared statement can apply. Immutable.
 *
 * @param unchanged source columns that an update does not change
 * @param keySet whether an update sets the key
 */
record ChangeKind(TablePlan plan, Operation operation, BitSet unchanged, boolean keySet) {
  private static final BitSet NONE = new BitSet();

  enum Operation {
    INSERT,
    UPDATE,
    DELETE
  }

  /**
   * @throws SluiceException.Fatal if a row to be inserted lacks a value
   */
  static ChangeKind of(TablePlan plan, RowChange change) {
    if (change.row() == null) {
      return new ChangeKind(plan, Operation.DELETE, NONE, false);
    }
    BitSet unchanged = unchangedIn(change.row());
    if (change.match() == null) {
      if (!unchanged.isEmpty()) {
        throw new SluiceException.Fatal(
            "a row to be inserted into %s has no value for column %s: %s"
                .formatted(
                    plan.table().id(), plan.column(unchanged.nextSetBit(0)).name(), change.row()),
            null);
      }
      return new ChangeKind(plan, Operation.INSERT, NONE, false);
    }
    boolean keySet = !plan.schema().hasKey() || !plan.keepsItsKey(change.match(), change.row());
    return new ChangeKind(plan, Operation.UPDATE, unchanged, keySet);
  }

  private static BitSet unchangedIn(Row row) {
    if (!row.hasUnchanged()) {
      return NONE;
    }
    BitSet unchanged = new BitSet();
    ValueCursor cursor = row.cursor();
    for (int source = 0; cursor.next(); source++) {
      if (cursor.isUnchanged()) {
        unchanged.set(source);
      }
    }
    return unchanged;
  }

  /** Operation and target table, for messages. */
  String description() {
    return operation.name().toLowerCase(Locale.ROOT) + " on " + plan.table().id();
  }

  /** The SQL statement; its parameters are in the order of {@link #arguments}. */
  String sql(OrderedStatements statements) {
    return switch (operation) {
      case INSERT -> statements.insert(plan);
      case DELETE -> statements.delete(plan);
      case UPDATE -> statements.update(plan, set());
    };
  }

  /** Receives the values of a statement's parameters. */
  interface Values {
    void take(TargetColumn column, ValueCursor cursor) throws SQLException;
  }

  /** Passes the values of a change of this kind, one for each parameter. */
  void arguments(RowChange change, Values values) throws SQLException {
    switch (operation) {
      case INSERT -> row(change.row(), plan.written(), values);
      case DELETE -> match(change.match(), values);
      case UPDATE -> {
        row(change.row(), set(), values);
        match(change.match(), values);
      }
    }
  }

  /** The columns that updates set. */
  private int[] set() {
    int[] settable = keySet ? plan.written() : plan.settable();
    return unchanged.isEmpty()
        ? settable
        : IntStream.of(settable).filter(source -> !unchanged.get(source)).toArray();
  }

  private void row(Row row, int[] sources, Values values) throws SQLException {
    int next = 0;
    ValueCursor cursor = row.cursor();
    for (int source = 0; next < sources.length && cursor.next(); source++) {
      if (sources[next] == source) {
        values.take(plan.column(source), cursor);
        next++;
      }
    }
  }

  private void match(Row match, Values values) throws SQLException {
    ValueCursor cursor = match.cursor();
    for (int source : plan.match()) {
      cursor.next();
      values.take(plan.column(source), cursor);
    }
  }
}
