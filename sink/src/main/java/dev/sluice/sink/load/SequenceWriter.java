package dev.sluice.sink.load;

import dev.sluice.config.ColumnNames;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Sets target sequences to where their source sequences stand. Owned by the thread that owns the
 * connection.
 */
public final class SequenceWriter {

  /** The sequence of the column where the column has one, else the one of the same name. */
  private static final String FIND =
      """
      SELECT n.nspname, s.relname, q.seqincrement > 0
      FROM pg_class s JOIN pg_namespace n ON n.oid = s.relnamespace
      JOIN pg_sequence q ON q.seqrelid = s.oid
      LEFT JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid
        AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0
      LEFT JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
      LEFT JOIN pg_class t ON t.oid = d.refobjid
      LEFT JOIN pg_namespace tn ON tn.oid = t.relnamespace
      WHERE (?::bool AND tn.nspname = ?::text AND t.relname = ?::text AND a.attname = ?::text)
         OR (n.nspname = ?::text AND s.relname = ?::text)
      ORDER BY (tn.nspname = ?::text AND t.relname = ?::text AND a.attname = ?::text) IS TRUE DESC
      LIMIT 1
      """;

  private final TargetConnection connection;
  private final UnaryOperator<TableId> targetOf;
  private final ColumnNames columns;

  /**
   * @param targetOf the name that a source's table or sequence has on the target
   * @param columns the names that columns have there
   */
  public SequenceWriter(
      TargetConnection connection, UnaryOperator<TableId> targetOf, ColumnNames columns) {
    this.connection = connection;
    this.targetOf = targetOf;
    this.columns = columns;
  }

  /**
   * Sets the target's sequence, unless it has already gone further: then the target gives out
   * values of its own, and setting it back would give some out twice.
   *
   * @return the target sequence's name; empty where the target has none for it
   */
  public Optional<TableId> set(SequenceState state) {
    try (PreparedStatement find = connection.jdbc().prepareStatement(FIND)) {
      TableId table = targetOf.apply(state.table());
      TableId sequence = targetOf.apply(state.sequence());
      String column = columns.orSame(state.table(), state.column());
      find.setBoolean(1, state.owned());
      find.setString(2, table.schema());
      find.setString(3, table.name());
      find.setString(4, column);
      find.setString(5, sequence.schema());
      find.setString(6, sequence.name());
      find.setString(7, table.schema());
      find.setString(8, table.name());
      find.setString(9, column);
      try (ResultSet row = find.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        TableId found = new TableId(row.getString(1), row.getString(2));
        set(found, state, row.getBoolean(3));
        return Optional.of(found);
      }
    } catch (SQLException e) {
      connection.rollback();
      throw TargetErrors.classify("set the target's sequence for " + state.sequence(), e);
    }
  }

  /** Makes durable what was set. */
  public void commit() {
    try {
      connection.execute("SET LOCAL synchronous_commit = on");
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw TargetErrors.classify("commit the target's sequences", e);
    }
  }

  private void set(TableId found, SequenceState state, boolean ascending) throws SQLException {
    String sql =
        "SELECT setval(?::text::regclass, ?, ?) FROM "
            + found.quoted()
            + " WHERE last_value "
            + (ascending ? "<" : ">")
            + " ? OR (last_value = ? AND NOT is_called)";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, found.quoted());
      statement.setLong(2, state.lastValue());
      statement.setBoolean(3, state.called());
      statement.setLong(4, state.lastValue());
      statement.setLong(5, state.lastValue());
      statement.executeQuery().close();
    }
  }
}
