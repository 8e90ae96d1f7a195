package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a publication of PostgreSQL has all changes of tables: Debezium reads what it is sent,
 * and does not ask. Immutable.
 */
record PublicationCheck(String publication) {

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
