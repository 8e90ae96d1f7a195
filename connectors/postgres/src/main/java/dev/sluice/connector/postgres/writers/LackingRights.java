package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Finds the rights without which this user cannot stop and move writers. Immutable, threadsafe. */
record LackingRights(SourceServer server) {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int SHOWN = 10;

  /** The owner may do everything, unless it has taken rights from itself. */
  private static final String TABLES =
      """
      SELECT n.nspname, c.relname, pg_catalog.pg_get_userbyid(c.relowner),
        pg_catalog.pg_has_role(c.relowner, 'USAGE'),
        pg_catalog.has_schema_privilege(n.oid, 'USAGE'),
        pg_catalog.has_table_privilege(c.oid,
          CASE WHEN pg_catalog.current_setting('server_version_num')::int >= 170000
            THEN 'UPDATE, DELETE, TRUNCATE, MAINTAIN' ELSE 'UPDATE, DELETE, TRUNCATE' END)
        AND pg_catalog.has_table_privilege(c.oid, 'TRIGGER')
      FROM tree JOIN pg_catalog.pg_class c ON c.oid = tree.oid AND c.relkind IN ('r', 'p')
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      GROUP BY c.oid, n.oid, n.nspname, c.relname, c.relowner
      ORDER BY 1, 2""";

  /** The server has room for a lock of each table of all transactions together. */
  private static final String DATABASE =
      """
      SELECT current_user, pg_catalog.current_database(),
        n.oid IS NOT NULL OR pg_catalog.has_database_privilege(d.oid, 'CREATE'),
        coalesce(n.nspowner = me.oid, true) AND NOT EXISTS (
          SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid AND c.relowner <> me.oid),
        pg_catalog.current_setting('max_locks_per_transaction')::int8 * (
          pg_catalog.current_setting('max_connections')::int8
          + pg_catalog.current_setting('max_prepared_transactions')::int8)
      FROM pg_catalog.pg_database d
      JOIN pg_catalog.pg_roles me ON me.rolname = current_user
      LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = 'sluice_moved'
      WHERE d.datname = pg_catalog.current_database()""";

  private record Found(TableId table, String owner, boolean owned, boolean used, boolean locked) {}

  List<Problem> of(Collection<TableId> tables) {
    try (LockSession session = LockSession.open(server, LIMIT)) {
      session.begin(LIMIT);
      List<Found> found =
          session
              .run(LockSession.statementTimeout(LIMIT), TableTree.recursion(tables) + TABLES)
              .stream()
              .map(
                  row ->
                      new Found(
                          new TableId(row.get(0), row.get(1)),
                          row.get(2),
                          row.get(3).equals("t"),
                          row.get(4).equals("t"),
                          row.get(5).equals("t")))
              .toList();
      List<String> database = session.run(DATABASE).get(0);
      List<Problem> problems = new ArrayList<>();
      String user = TableId.quote(database.get(0));
      ofDatabase(database, user, problems);
      ofTables(found, user, problems);
      ofRoom(found.size(), Long.parseLong(database.get(4)), problems);
      return problems;
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the rights on the source's tables", e);
    }
  }

  private static void ofDatabase(List<String> database, String user, List<Problem> problems) {
    if (database.get(2).equals("f")) {
      problems.add(
          new Problem(
              "database " + database.get(1) + " on the source",
              "user " + user + " lacks the right CREATE",
              "it, for schema sluice_moved",
              "GRANT CREATE ON DATABASE %s TO %s".formatted(TableId.quote(database.get(1)), user)));
    }
    if (database.get(3).equals("f")) {
      problems.add(MoveFailures.foreignSchema());
    }
  }

  private static void ofTables(List<Found> found, String user, List<Problem> problems) {
    found.stream()
        .filter(each -> !each.used())
        .map(each -> each.table().schema())
        .distinct()
        .forEach(
            schema ->
                problems.add(
                    new Problem(
                        "schema " + schema + " on the source",
                        "user " + user + " lacks the right USAGE",
                        "it, to lock tables in it",
                        "GRANT USAGE ON SCHEMA %s TO %s".formatted(TableId.quote(schema), user))));
    Map<String, List<TableId>> byOwner =
        found.stream()
            .filter(each -> !each.owned())
            .collect(
                Collectors.groupingBy(
                    Found::owner,
                    TreeMap::new,
                    Collectors.mapping(Found::table, Collectors.toList())));
    byOwner.forEach(
        (owner, tables) ->
            problems.add(
                new Problem(
                    named(tables),
                    "they belong to role " + owner + ", of which user " + user + " is no member",
                    "tables that it owns: only an owner may add triggers that fire always",
                    "GRANT %s TO %s; or for each of them ALTER TABLE %s OWNER TO %s"
                        .formatted(TableId.quote(owner), user, tables.get(0).quoted(), user))));
    List<TableId> unlockable =
        found.stream().filter(each -> each.owned() && !each.locked()).map(Found::table).toList();
    if (!unlockable.isEmpty()) {
      problems.add(
          new Problem(
              named(unlockable),
              "user " + user + " may not lock them, or add triggers to them",
              "the rights UPDATE and TRIGGER, which an owner has unless it has revoked them",
              "GRANT UPDATE, TRIGGER ON %s TO %s"
                  .formatted(
                      unlockable.stream().map(TableId::quoted).collect(Collectors.joining(", ")),
                      user)));
    }
  }

  private static void ofRoom(int tables, long room, List<Problem> problems) {
    if (tables > room) {
      problems.add(
          new Problem(
              "max_locks_per_transaction on the source",
              "the server has room for about %d locks".formatted(room),
              "room for one of each of the %d tables and partitions, and for the applications'"
                  .formatted(tables),
              "Raise max_locks_per_transaction and restart the server"));
    }
  }

  private static String named(List<TableId> tables) {
    int more = tables.size() - SHOWN;
    return tables.stream()
            .limit(SHOWN)
            .map(TableId::toString)
            .collect(Collectors.joining(", ", "tables ", ""))
        + (more > 0 ? " and " + more + " more" : "")
        + " on the source";
  }
}
