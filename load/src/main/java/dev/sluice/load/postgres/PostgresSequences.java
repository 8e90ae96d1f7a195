package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.sink.target.TargetConnection;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Finds sequences in the catalog and sets them by setval. Stateless, threadsafe. */
final class PostgresSequences implements TargetSequences {

  /** Finds the sequence owned by the column; if there is none, the sequence of the same name. */
  private static final String FIND =
      """
      SELECT n.nspname, s.relname,
             has_schema_privilege(n.oid, 'USAGE') AND has_sequence_privilege(s.oid, 'UPDATE')
               AND has_sequence_privilege(s.oid, 'SELECT'),
              q.seqincrement, q.seqmin, q.seqmax, q.seqcache, q.seqcycle
      FROM (
        SELECT d.objid AS sequence, 1 AS place
        FROM pg_namespace tn
        JOIN pg_class t ON t.relnamespace = tn.oid
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0
        JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid
          AND d.refobjsubid = a.attnum AND d.classid = 'pg_class'::regclass
          AND d.deptype IN ('a', 'i')
        WHERE tn.nspname = ?::text AND t.relname = ?::text AND a.attname = ?::text
        UNION ALL
        SELECT named.oid, 2
        FROM pg_namespace nn JOIN pg_class named ON named.relnamespace = nn.oid
        WHERE nn.nspname = ?::text AND named.relname = ?::text) f
      JOIN pg_class s ON s.oid = f.sequence AND s.relkind = 'S'
      JOIN pg_namespace n ON n.oid = s.relnamespace
      JOIN pg_sequence q ON q.seqrelid = s.oid
      ORDER BY f.place LIMIT 1
      """;

  private static final String OWNED =
      """
      SELECT sn.nspname, s.relname,
        has_schema_privilege(sn.oid, 'USAGE') AND has_sequence_privilege(s.oid, 'UPDATE')
          AND has_sequence_privilege(s.oid, 'SELECT'),
        q.seqincrement, q.seqmin, q.seqmax, q.seqcache, q.seqcycle,
        n.nspname, c.relname, a.attname,
        a.atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype)
      FROM unnest(?::text[], ?::text[]) AS wanted (schema_name, table_name)
      JOIN pg_namespace n ON n.nspname = wanted.schema_name
      JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.table_name
      JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid
        AND d.refobjsubid > 0 AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
      JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
      JOIN pg_sequence q ON q.seqrelid = s.oid
      JOIN pg_namespace sn ON sn.oid = s.relnamespace
      ORDER BY 9, 10, 11
      """;

  @Override
  public List<Owned> ownedBy(TargetConnection connection, Collection<TableId> tables)
      throws SQLException {
    List<Owned> found = new ArrayList<>();
    try (PreparedStatement owned = connection.jdbc().prepareStatement(OWNED)) {
      owned.setArray(1, texts(connection, tables, TableId::schema));
      owned.setArray(2, texts(connection, tables, TableId::name));
      try (ResultSet row = owned.executeQuery()) {
        while (row.next()) {
          TableId table = new TableId(row.getString(9), row.getString(10));
          found.add(new Owned(new Owner(table, row.getString(11)), read(row), row.getBoolean(12)));
        }
      }
    }
    return found;
  }

  private static Array texts(
      TargetConnection connection, Collection<TableId> tables, Function<TableId, String> part)
      throws SQLException {
    return connection.jdbc().createArrayOf("text", tables.stream().map(part).toArray());
  }

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

  /** As on the source: what a column has beyond its sequence is the application's own matter. */
  @Override
  public void advance(
      TargetConnection connection,
      TargetSequence sequence,
      SequenceState state,
      Optional<Owner> user)
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
  public String fixOfForm(TargetSequence sequence, SequenceState.Form source) {
    return "ALTER SEQUENCE %s %s".formatted(sequence.name().quoted(), source);
  }

  @Override
  public String fixOfMissing(SequenceState state, TableId expected) {
    return "Create it with the source's options, and set it to at least %d: SELECT setval('%s', %d, %s);"
        .formatted(
            state.lastValue(),
            expected.quoted().replace("'", "''"),
            state.lastValue(),
            state.called());
  }

  @Override
  public String fixOfRight(TargetSequence sequence) {
    return "Run as its owner: GRANT SELECT, UPDATE ON SEQUENCE %s TO the target's user;"
        .formatted(sequence.name().quoted());
  }

  @Override
  public String fixOfBounds(TargetSequence sequence) {
    return "Change it as on the source: ALTER SEQUENCE %s MINVALUE … MAXVALUE …;"
        .formatted(sequence.name().quoted());
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
