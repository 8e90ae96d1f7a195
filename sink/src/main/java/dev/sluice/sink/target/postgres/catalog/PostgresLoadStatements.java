package dev.sluice.sink.target.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.sink.target.LoadStatements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Guards and completion of a load into PostgreSQL. Stateless, threadsafe. */
public final class PostgresLoadStatements implements LoadStatements {

  /** The rows of partitions belong to the root; the rows of inheriting tables do not. */
  private static final String EXISTING =
      """
      SELECT n.nspname, c.relname, c.relkind = 'p',
        coalesce((SELECT sum(greatest(l.reltuples, 0)) FROM pg_partition_tree(c.oid) t
                  JOIN pg_class l ON l.oid = t.relid WHERE t.isleaf),
                 greatest(c.reltuples, 0))::bigint
      FROM unnest(?::text[], ?::text[]) AS wanted (schema_name, table_name)
      JOIN pg_namespace n ON n.nspname = wanted.schema_name
      JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.table_name
      WHERE c.relkind IN ('r', 'p', 'f')
      ORDER BY 1, 2
      """;

  @Override
  public List<Existing> existing(Connection session, Collection<TableId> tables)
      throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(EXISTING)) {
      statement.setArray(
          1, session.createArrayOf("text", tables.stream().map(TableId::schema).toArray()));
      statement.setArray(
          2, session.createArrayOf("text", tables.stream().map(TableId::name).toArray()));
      List<Existing> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          TableId table = new TableId(rows.getString(1), rows.getString(2));
          String from = rows.getBoolean(3) ? table.quoted() : "ONLY " + table.quoted();
          found.add(new Existing(table, from, rows.getLong(4)));
        }
      }
      return found;
    }
  }

  @Override
  public Optional<String> lock(List<Existing> tables) {
    return Optional.of(
        tables.stream()
            .map(Existing::from)
            .collect(Collectors.joining(", ", "LOCK TABLE ", " IN ACCESS EXCLUSIVE MODE")));
  }

  @Override
  public String countUpTo(Existing table, int limit) {
    return "SELECT count(*) FROM (SELECT FROM %s LIMIT %d) AS counted"
        .formatted(table.from(), limit);
  }

  @Override
  public Limit limitStatements(Connection session, Duration limit) throws SQLException {
    String before = timeout(session);
    setTimeout(session, String.valueOf(limit.toMillis()));
    return () -> setTimeout(session, before);
  }

  private static String timeout(Connection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery("SHOW statement_timeout")) {
      row.next();
      return row.getString(1);
    }
  }

  private static void setTimeout(Connection session, String timeout) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute("SET LOCAL statement_timeout = '" + timeout + "'");
    }
  }

  @Override
  public List<String> completionSettings(Stage stage, long memoryBytes) {
    return List.of(
        "SET maintenance_work_mem = '" + memoryBytes / 1024 + "kB'",
        // Validating a foreign key joins two complete tables.
        "SET enable_hashjoin = on",
        // Function bodies come from the source and may name objects that the target does not have.
        "SET check_function_bodies = off");
  }

  /**
   * Makes the server check for lost clients, so that it stops building an index for a killed
   * daemon.
   */
  @Override
  public List<String> optionalSettings() {
    return List.of("SET client_connection_check_interval = '2s'");
  }

  @Override
  public List<String> uncheckedFunctions() {
    return List.of("SET LOCAL check_function_bodies = off");
  }

  @Override
  public Optional<String> analyze(TableId table) {
    return Optional.of("ANALYZE " + table.quoted());
  }
}
