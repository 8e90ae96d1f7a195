package dev.sluice.connector.generic.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PublicationCheckTest {
  private static final PublicationCheck CHECK = new PublicationCheck("p");

  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() {
    server = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void tablesWhoseSnapshotAndChangesWouldBeOfOtherRowsAreRefused() throws SQLException {
    server.createDatabase("rows");
    try (Connection session = server.connect("rows")) {
      execute(
          session,
          "CREATE TABLE plain (id int PRIMARY KEY)",
          "CREATE TABLE parent (id int PRIMARY KEY)",
          "CREATE TABLE heir (PRIMARY KEY (id)) INHERITS (parent)",
          "CREATE TABLE other_key (id int PRIMARY KEY, n int NOT NULL UNIQUE)",
          "ALTER TABLE other_key REPLICA IDENTITY USING INDEX other_key_n_key",
          "CREATE TABLE filtered (id int PRIMARY KEY)",
          "CREATE TABLE narrow (id int PRIMARY KEY, n int)",
          "CREATE TABLE secured (id int PRIMARY KEY)",
          "ALTER TABLE secured ENABLE ROW LEVEL SECURITY",
          "CREATE PUBLICATION p FOR TABLE plain, parent, heir, other_key, secured,"
              + " filtered WHERE (id > 5), narrow (id)",
          "CREATE ROLE reader LOGIN",
          "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
    }
    try (Connection session =
        DriverManager.getConnection(
            "jdbc:postgresql://127.0.0.1:" + server.port() + "/rows", "reader", "")) {
      List<TableId> all =
          List.of(
              table("plain"),
              table("parent"),
              table("heir"),
              table("other_key"),
              table("filtered"),
              table("narrow"),
              table("secured"));
      assertThat(CHECK.problems(session, all)).isEmpty();
      assertThat(CHECK.problemsOfRows(session, all))
          .extracting(problem -> problem.thing() + ": " + problem.found())
          .satisfiesExactlyInAnyOrder(
              found -> assertThat(found).contains("parent", "inherit"),
              found -> assertThat(found).contains("other_key", "replica identity"),
              found -> assertThat(found).contains("filters", "filtered"),
              found -> assertThat(found).contains("filters", "narrow"),
              found -> assertThat(found).contains("secured", "row-level security"));
      assertThat(CHECK.problemsOfRows(session, List.of(table("plain")))).isEmpty();
    }
  }

  private static TableId table(String name) {
    return new TableId("public", name);
  }

  private static void execute(Connection session, String... statements) throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }
}
