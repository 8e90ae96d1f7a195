package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which tables of PostgreSQL a capture began with, by their ids. Its log does not say that a table
 * was renamed, or that a publication lost it: Debezium then gets no more changes of it, without a
 * word. Immutable.
 *
 * @param ids the tables' oids
 */
record CapturedIds(String publication, Map<TableId, String> ids) {
  private static final String QUESTION = "read the publication's tables";

  private static final String TABLES =
      """
      SELECT t.schemaname, t.tablename, c.oid
      FROM pg_catalog.pg_publication_tables t
      JOIN pg_catalog.pg_namespace n ON n.nspname = t.schemaname
      JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename
      WHERE t.pubname = '%s'
      """;

  CapturedIds {
    ids = Map.copyOf(ids);
  }

  /** Of the tables as they are now; empty for another database than PostgreSQL. */
  static Optional<CapturedIds> of(JdbcServer server, Collection<TableId> tables) {
    if (server.config().connector() != KnownConnector.POSTGRESQL) {
      return Optional.empty();
    }
    String publication = server.config().properties().get("publication.name");
    return Optional.of(server.ask(QUESTION, session -> of(session, publication, tables)));
  }

  static CapturedIds of(Connection session, String publication, Collection<TableId> tables)
      throws SQLException {
    Map<TableId, String> now = read(session, publication);
    Map<TableId, String> ids = new LinkedHashMap<>();
    tables.forEach(table -> ids.put(table, now.getOrDefault(table, "")));
    return new CapturedIds(publication, ids);
  }

  /** A problem for each table that is another one now, or is published no more. */
  List<Problem> gone(JdbcServer server) {
    return server.ask(QUESTION, this::gone);
  }

  List<Problem> gone(Connection session) throws SQLException {
    Map<TableId, String> now = read(session, publication);
    List<Problem> problems = new ArrayList<>();
    ids.forEach(
        (table, id) -> {
          if (!id.equals(now.get(table))) {
            problems.add(
                new Problem(
                    "table " + table,
                    "publication %s has it no more: it was renamed, dropped, made again or taken out"
                        .formatted(publication),
                    "the table with which the capture began",
                    "Changes of it may be missing. Load the tables again: sluice stop --drop, and then"
                        + " sluice run"));
          }
        });
    return problems;
  }

  private static Map<TableId, String> read(Connection connection, String publication)
      throws SQLException {
    Map<TableId, String> found = new LinkedHashMap<>();
    for (String[] row :
        JdbcServer.rows(connection, TABLES.formatted(publication.replace("'", "''")))) {
      found.put(new TableId(row[0], row[1]), row[2]);
    }
    return found;
  }
}
