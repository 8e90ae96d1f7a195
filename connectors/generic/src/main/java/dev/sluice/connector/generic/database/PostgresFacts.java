package dev.sluice.connector.generic.database;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.config.ExcludedColumns;
import dev.sluice.connector.generic.record.Bookmark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * PostgreSQL. Its log does not say that a table was renamed, or that a publication lost it, nor
 * does a record show the scale of a number: Debezium sends what fits the present definition, or
 * nothing, without a word.
 *
 * @param publication that the connector reads
 */
record PostgresFacts(String publication, ExcludedColumns excluded) implements DatabaseFacts {
  /** The control file's timeline is the last checkpoint's, and may be older. */
  private static final String IDENTITY =
      """
      SELECT s.system_identifier::text,
        CASE WHEN pg_catalog.pg_is_in_recovery() THEN c.timeline_id
          ELSE ('x' || substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()),
            1, 8))::bit(32)::int END
      FROM pg_catalog.pg_control_system() s, pg_catalog.pg_control_checkpoint() c
      """;

  /** NOT NULL is left out: no value is lost by its change. */
  private static final String TABLES =
      """
      SELECT n.nspname, c.relname, c.oid::text, a.attname,
        pg_catalog.concat_ws(' ', 'column', a.attnum, a.attname,
          pg_catalog.format_type(a.atttypid, a.atttypmod)),
        (SELECT 'primary key of columns ' || i.indkey::text
          FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)
      FROM pg_catalog.pg_publication_tables t
      JOIN pg_catalog.pg_namespace n ON n.nspname = t.schemaname
      JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename
      JOIN pg_catalog.pg_attribute a
        ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE t.pubname = ?
      ORDER BY c.oid, a.attnum
      """;

  /** What a standby has received is forgotten when it is started again. */
  private static final String END =
      """
      SELECT CASE WHEN pg_catalog.pg_is_in_recovery()
        THEN greatest(pg_catalog.pg_last_wal_receive_lsn(), pg_catalog.pg_last_wal_replay_lsn())
        ELSE pg_catalog.pg_current_wal_lsn() END - '0/0'::pg_lsn, pg_catalog.pg_is_in_recovery()
      """;

  @Override
  public Optional<SourceIdentity> identity(Connection session) throws SQLException {
    String[] row = JdbcServer.rows(session, IDENTITY).get(0);
    return Optional.of(new SourceIdentity(row[0], Integer.parseInt(row[1])));
  }

  @Override
  public Map<TableId, DefinitionText> definitions(Connection session, Collection<TableId> tables)
      throws SQLException {
    // Types are named with their schemas if the path has not them. A role's path may change.
    String before = JdbcServer.rows(session, "SHOW search_path").get(0)[0];
    setPath(session, "pg_catalog, pg_temp");
    try {
      return read(session, tables);
    } finally {
      setPath(session, before);
    }
  }

  private static void setPath(Connection session, String path) throws SQLException {
    try (PreparedStatement change =
        session.prepareStatement("SELECT pg_catalog.set_config('search_path', ?, false)")) {
      change.setString(1, path);
      change.execute();
    }
  }

  private Map<TableId, DefinitionText> read(Connection session, Collection<TableId> tables)
      throws SQLException {
    Map<TableId, String> ids = new LinkedHashMap<>();
    Map<TableId, List<String>> parts = new LinkedHashMap<>();
    try (PreparedStatement question = session.prepareStatement(TABLES)) {
      question.setString(1, publication);
      try (ResultSet row = question.executeQuery()) {
        while (row.next()) {
          TableId table = new TableId(row.getString(1), row.getString(2));
          if (!tables.contains(table)) {
            continue;
          }
          if (ids.put(table, row.getString(3)) == null) {
            parts.put(table, new ArrayList<>(List.of(String.valueOf(row.getString(6)))));
          }
          if (!excluded.has(table, row.getString(4))) {
            parts.get(table).add(row.getString(5));
          }
        }
      }
    }
    Map<TableId, DefinitionText> found = new LinkedHashMap<>();
    ids.forEach((table, id) -> found.put(table, new DefinitionText(id, parts.get(table))));
    return found;
  }

  @Override
  public boolean hidesDefinitions() {
    return true;
  }

  /** A copy that was restored to an earlier moment, and has not written as much since. */
  @Override
  public Optional<Problem> otherHistory(Connection session, Bookmark bookmark) throws SQLException {
    String[] row = JdbcServer.rows(session, END).get(0);
    long end = Long.parseLong(row[0]);
    long has = PostgresSlot.furthest(bookmark.offset());
    if (end >= has) {
      return Optional.empty();
    }
    if (row[1].equals("t")) {
      throw new SluiceException.Retryable(
          "the source is a standby that has its log up to %s; the journal has changes up to %s"
              .formatted(PostgresSlot.lsn(end), PostgresSlot.lsn(has)),
          null);
    }
    return Optional.of(
        new Problem(
            "source",
            "its log ends at " + PostgresSlot.lsn(end),
            "the log in which the journal has all changes up to " + PostgresSlot.lsn(has),
            DatabaseFacts.LOAD_AGAIN));
  }

  @Override
  public Instant clock(Connection session) throws SQLException {
    return DatabaseFacts.time(
        session, "SELECT (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000000)::bigint");
  }

  /**
   * A message in the log, which Debezium reads as a transaction without events: on a source that
   * rests nothing else would take it to the log's end.
   */
  @Override
  public LogEnd end(Connection session) throws SQLException {
    Optional<Problem> unknown = noEnd(session);
    if (unknown.isPresent()) {
      throw new SluiceException.Fatal(unknown.get());
    }
    long message =
        Long.parseLong(
            JdbcServer.rows(
                    session,
                    "SELECT pg_catalog.pg_logical_emit_message(true, 'debezium.end', '')"
                        + " - '0/0'::pg_lsn")
                .get(0)[0]);
    return bookmark -> PostgresSlot.furthest(bookmark.offset()) >= message;
  }

  @Override
  public Optional<Problem> noEnd(Connection session) throws SQLException {
    return JdbcServer.rows(session, "SELECT pg_catalog.pg_is_in_recovery()").get(0)[0].equals("t")
        ? Optional.of(
            new Problem(
                "cdc-stop-position",
                "the source is a standby, on which no message can show how far its log was read",
                "a primary for server_time: and now",
                "Write a time of commits, commit_time:2026-01-31T12:00:00Z: the first transaction"
                    + " after it ends the task"))
        : Optional.empty();
  }
}
