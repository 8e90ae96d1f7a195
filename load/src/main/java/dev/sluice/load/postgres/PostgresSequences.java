package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Finds sequences in the catalog and sets them by setval. Stateless, threadsafe. */
final class PostgresSequences implements TargetSequences {

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

  @Override
  public Optional<TargetSequence> find(
      TargetConnection connection, Optional<Owner> owner, TableId name) throws SQLException {
    try (PreparedStatement find = connection.jdbc().prepareStatement(FIND)) {
      find.setString(1, owner.map(column -> column.table().schema()).orElse(null));
      find.setString(2, owner.map(column -> column.table().name()).orElse(null));
      find.setString(3, owner.map(Owner::column).orElse(null));
      find.setString(4, name.schema());
      find.setString(5, name.name());
      try (ResultSet row = find.executeQuery()) {
        return row.next() ? Optional.of(read(row)) : Optional.empty();
      }
    }
  }

  private static TargetSequence read(ResultSet row) throws SQLException {
    return new TargetSequence(
        new TableId(row.getString(1), row.getString(2)),
        row.getBoolean(3),
        new SequenceState.Form(
            row.getLong(4), row.getLong(5), row.getLong(6), row.getLong(7), row.getBoolean(8)));
  }

  @Override
  public void advance(TargetConnection connection, TargetSequence sequence, SequenceState state)
      throws SQLException {
    String sql =
        "SELECT setval(?::text::regclass, ?, ?) FROM "
            + sequence.name().quoted()
            + " WHERE last_value "
            + (sequence.form().increment() > 0 ? "<" : ">")
            + " ? OR (last_value = ? AND NOT is_called)";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, sequence.name().quoted());
      statement.setLong(2, state.lastValue());
      statement.setBoolean(3, state.called());
      statement.setLong(4, state.lastValue());
      statement.setLong(5, state.lastValue());
      statement.executeQuery().close();
    }
  }

  @Override
  public void set(TargetConnection connection, TargetSequence sequence, SequenceState state)
      throws SQLException {
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("SELECT setval(?::text::regclass, ?, ?)")) {
      statement.setString(1, sequence.name().quoted());
      statement.setLong(2, state.lastValue());
      statement.setBoolean(3, state.called());
      statement.executeQuery().close();
    }
  }
}
