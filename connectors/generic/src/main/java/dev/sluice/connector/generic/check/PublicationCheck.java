package dev.sluice.connector.generic.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.generic.catalog.JdbcServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether Debezium's snapshot and the changes of a publication of PostgreSQL are of the same rows:
 * Debezium reads what it is sent, and does not ask. Immutable.
 */
record PublicationCheck(String publication) {
  /*
   * Filters and lists of columns are there from PostgreSQL 15 on. A snapshot of a parent has the rows of
   * the tables that inherit from it, and a key of another index comes as if it were the primary one.
   */
  private static final String ROWS =
      """
      SELECT n.nspname, c.relname, pg_catalog.row_security_active(c.oid),
        c.relkind = 'r' AND EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid),
        c.relreplident NOT IN ('d', 'f'), f.published
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN LATERAL (
        SELECT p.pubname AS published
        FROM pg_catalog.pg_publication_rel r JOIN pg_catalog.pg_publication p ON p.oid = r.prpubid
        WHERE r.prrelid = c.oid AND coalesce(to_jsonb(r) ->> 'prqual', to_jsonb(r) ->> 'prattrs')
          IS NOT NULL) f ON true
      WHERE c.relkind IN ('r', 'p')
      """;

  List<Problem> problems(Connection connection, List<TableId> tables) throws SQLException {
    List<String[]> found =
        JdbcServer.rows(
                connection,
                "SELECT pubname, pubinsert AND pubupdate AND pubdelete AND pubtruncate"
                    + " FROM pg_catalog.pg_publication")
            .stream()
            .filter(row -> row[0].equals(publication))
            .toList();
    if (found.isEmpty()) {
      return List.of(
          problem(
              "it does not exist",
              "the publication that the connector reads",
              "CREATE PUBLICATION %s FOR TABLE %s;".formatted(quoted(), list(tables))));
    }
    if (!found.get(0)[1].equals("t")) {
      return List.of(
          problem(
              "it leaves out a kind of change",
              "insert, update, delete and truncate",
              "ALTER PUBLICATION %s SET (publish = 'insert, update, delete, truncate');"
                  .formatted(quoted())));
    }
    List<TableId> missing = new ArrayList<>(tables);
    JdbcServer.rows(
            connection,
            "SELECT pubname, schemaname, tablename FROM pg_catalog.pg_publication_tables")
        .stream()
        .filter(row -> row[0].equals(publication))
        .forEach(row -> missing.remove(new TableId(row[1], row[2])));
    return missing.isEmpty()
        ? List.of()
        : List.of(
            problem(
                "it lacks the tables " + missing,
                "all tables of the task",
                "ALTER PUBLICATION %s ADD TABLE %s;".formatted(quoted(), list(missing))));
  }

  /** Of tables whose snapshot and changes would not be of the same rows. */
  List<Problem> problemsOfRows(Connection connection, List<TableId> tables) throws SQLException {
    List<Problem> problems = new ArrayList<>();
    for (String[] row : JdbcServer.rows(connection, ROWS)) {
      TableId table = new TableId(row[0], row[1]);
      if (!tables.contains(table)) {
        continue;
      }
      if (row[2].equals("t")) {
        problems.add(
            ofTable(
                table,
                "row-level security may hide rows from the connector's user",
                "a user who sees every row",
                "Run on the source: ALTER ROLE … BYPASSRLS;"));
      }
      if (row[3].equals("t")) {
        problems.add(
            ofTable(
                table,
                "other tables inherit from it, and Debezium's snapshot would take their rows for its"
                    + " own",
                "a table without heirs",
                "Exclude it by a selection rule"));
      }
      if (row[4].equals("t")) {
        problems.add(
            ofTable(
                table,
                "its replica identity is another index than the primary key, or none",
                "REPLICA IDENTITY DEFAULT or FULL",
                "Run on the source: ALTER TABLE %s REPLICA IDENTITY DEFAULT;"
                    .formatted(table.quoted())));
      }
      if (publication.equals(row[5])) {
        problems.add(
            problem(
                "it filters rows or columns of " + table,
                "all rows and columns, as the snapshot has them",
                "ALTER PUBLICATION %s DROP TABLE %s; ALTER PUBLICATION %s ADD TABLE %s;"
                    .formatted(quoted(), table.quoted(), quoted(), table.quoted())));
      }
    }
    return problems;
  }

  private static Problem ofTable(TableId table, String found, String expected, String fix) {
    return new Problem("table " + table, found, expected, fix);
  }

  private String quoted() {
    return TableId.quote(publication);
  }

  private static String list(List<TableId> tables) {
    return String.join(", ", tables.stream().map(TableId::quoted).toList());
  }

  private Problem problem(String found, String expected, String statement) {
    return new Problem(
        "publication " + publication, found, expected, "Run on the source: " + statement);
  }
}
