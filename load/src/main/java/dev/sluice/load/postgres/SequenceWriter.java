package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.sink.target.TargetConnection;
import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Sets target sequences to the values of their source sequences. Owned by the thread that owns the
 * connection.
 */
public final class SequenceWriter {

  /** Finds the sequence owned by the column; if there is none, the sequence of the same name. */
  private static final String FIND =
      """
      SELECT n.nspname, s.relname,
             has_schema_privilege(n.oid, 'USAGE') AND has_sequence_privilege(s.oid, 'UPDATE')
               AND has_sequence_privilege(s.oid, 'SELECT'),
              q.seqincrement, q.seqmin, q.seqmax, q.seqcache, q.seqcycle
      FROM (SELECT ?::text AS schema, ?::text AS name, ?::text AS column) o
      CROSS JOIN pg_class s JOIN pg_namespace n ON n.oid = s.relnamespace
      JOIN pg_sequence q ON q.seqrelid = s.oid
      LEFT JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid
        AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0
      LEFT JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
      LEFT JOIN pg_class t ON t.oid = d.refobjid
      LEFT JOIN pg_namespace tn ON tn.oid = t.relnamespace
      WHERE (tn.nspname = o.schema AND t.relname = o.name AND a.attname = o.column)
         OR (n.nspname = ?::text AND s.relname = ?::text)
      ORDER BY (tn.nspname = o.schema AND t.relname = o.name AND a.attname = o.column) IS TRUE DESC
      LIMIT 1
      """;

  private final TargetConnection connection;
  private final UnaryOperator<TableId> targetOf;
  private final ColumnNames columns;

  /**
   * @param targetOf gives the target name of a source table or sequence
   * @param columns the columns' names on the target
   */
  public SequenceWriter(
      TargetConnection connection, UnaryOperator<TableId> targetOf, ColumnNames columns) {
    this.connection = connection;
    this.targetOf = targetOf;
    this.columns = columns;
  }

  /**
   * A sequence of the target.
   *
   * @param settable true if the user may set it
   */
  public record Found(TableId name, boolean settable, SequenceState.Form form) {

    /** The state after some more values; at most the last one, and the same if it cycles. */
    public SequenceState further(SequenceState state, long values) {
      if (form.cycles() || values == 0) {
        return state;
      }
      BigInteger wanted =
          BigInteger.valueOf(state.lastValue())
              .add(BigInteger.valueOf(form.increment()).multiply(BigInteger.valueOf(values)));
      long value =
          wanted
              .max(BigInteger.valueOf(form.min()))
              .min(BigInteger.valueOf(form.max()))
              .longValueExact();
      return new SequenceState(state.sequence(), state.use(), value, state.called(), state.form());
    }

    /** True if the source's value is within the sequence's range. */
    public boolean takes(SequenceState state) {
      return state.lastValue() >= form.min() && state.lastValue() <= form.max();
    }
  }

  /** The target's sequence for a source sequence; empty if there is none. */
  public Optional<Found> find(SequenceState state) {
    try (PreparedStatement find = connection.jdbc().prepareStatement(FIND)) {
      Optional<SequenceState.Use> owner = state.use().filter(SequenceState.Use::owned);
      TableId table = owner.map(SequenceState.Use::table).map(targetOf).orElse(null);
      TableId sequence = targetOf.apply(state.sequence());
      find.setString(1, table == null ? null : table.schema());
      find.setString(2, table == null ? null : table.name());
      find.setString(3, owner.map(use -> columns.orSame(use.table(), use.column())).orElse(null));
      find.setString(4, sequence.schema());
      find.setString(5, sequence.name());
      try (ResultSet row = find.executeQuery()) {
        return row.next()
            ? Optional.of(
                new Found(
                    new TableId(row.getString(1), row.getString(2)),
                    row.getBoolean(3),
                    new SequenceState.Form(
                        row.getLong(4),
                        row.getLong(5),
                        row.getLong(6),
                        row.getLong(7),
                        row.getBoolean(8))))
            : Optional.empty();
      }
    } catch (SQLException e) {
      connection.rollback();
      throw connection.errors().classify("find the target's sequence for " + state.sequence(), e);
    }
  }

  /**
   * Sets the target's sequence, unless it is already further: then the target is in use, and
   * setting it back would produce values twice.
   */
  public void set(Found found, SequenceState state) {
    String sql =
        "SELECT setval(?::text::regclass, ?, ?) FROM "
            + found.name().quoted()
            + " WHERE last_value "
            + (found.form().increment() > 0 ? "<" : ">")
            + " ? OR (last_value = ? AND NOT is_called)";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, found.name().quoted());
      statement.setLong(2, state.lastValue());
      statement.setBoolean(3, state.called());
      statement.setLong(4, state.lastValue());
      statement.setLong(5, state.lastValue());
      statement.executeQuery().close();
    } catch (SQLException e) {
      connection.rollback();
      throw connection.errors().classify("set the target's sequence " + found.name(), e);
    }
  }

  /**
   * Sets the target's sequence to the source's value, also back: one that cycles may have begun
   * again. Only while nobody uses the target.
   */
  public void setExactly(Found found, SequenceState state) {
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("SELECT setval(?::text::regclass, ?, ?)")) {
      statement.setString(1, found.name().quoted());
      statement.setLong(2, state.lastValue());
      statement.setBoolean(3, state.called());
      statement.executeQuery().close();
    } catch (SQLException e) {
      connection.rollback();
      throw connection.errors().classify("set the target's sequence " + found.name(), e);
    }
  }

  /** Commits the values that were set, durably. */
  public void commit() {
    try {
      connection.commitDurably();
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw connection.errors().classify("commit the target's sequences", e);
    }
  }
}
