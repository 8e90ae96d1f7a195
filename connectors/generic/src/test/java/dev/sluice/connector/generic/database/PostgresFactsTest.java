package dev.sluice.connector.generic.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.config.ExcludedColumns;
import dev.sluice.connector.generic.record.Bookmark;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PostgresFactsTest {
  private static final PostgresFacts FACTS =
      new PostgresFacts("p", ExcludedColumns.of(Optional.of("public\\.left_out\\.ignored")));

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
  void aTableThatIsAnotherOneOrIsPublishedNoMoreIsNoticed() throws SQLException {
    assertThat(
            changedBy(
                "gone",
                List.of(
                    "CREATE TABLE stays (id int PRIMARY KEY)",
                    "CREATE TABLE swapped (id int PRIMARY KEY)",
                    "CREATE TABLE renamed (id int PRIMARY KEY)",
                    "CREATE TABLE out (id int PRIMARY KEY)",
                    "CREATE PUBLICATION p FOR TABLE stays, swapped, renamed, out"),
                List.of(
                    "ALTER TABLE swapped RENAME TO swapped_old",
                    "CREATE TABLE swapped (id int PRIMARY KEY)",
                    "ALTER PUBLICATION p ADD TABLE swapped",
                    "ALTER TABLE renamed RENAME TO renamed_old",
                    "ALTER PUBLICATION p DROP TABLE out")))
        .extracting(Problem::thing)
        .containsExactly("table public.out", "table public.renamed", "table public.swapped");
  }

  @Test
  void aChangedDefinitionIsNoticedThatNoRecordShows() throws SQLException {
    List<Problem> changed =
        changedBy(
            "altered",
            List.of(
                "CREATE TABLE stays (id int PRIMARY KEY, n numeric(10,2) NOT NULL)",
                "CREATE TABLE scaled (id int PRIMARY KEY, n numeric(10,2))",
                "CREATE TABLE again (id int PRIMARY KEY, n int)",
                "CREATE TABLE rekeyed (id int PRIMARY KEY, n int NOT NULL)",
                "CREATE TABLE more (id int PRIMARY KEY)",
                "CREATE TABLE left_out (id int PRIMARY KEY, ignored int)",
                "CREATE PUBLICATION p FOR ALL TABLES"),
            List.of(
                "ALTER TABLE scaled ALTER n TYPE numeric(12,4)",
                "ALTER TABLE again DROP COLUMN n",
                "ALTER TABLE again ADD COLUMN n int",
                "ALTER TABLE rekeyed DROP CONSTRAINT rekeyed_pkey, ADD PRIMARY KEY (n)",
                "ALTER TABLE more ADD COLUMN n int",
                "ALTER TABLE left_out ALTER ignored TYPE bigint",
                "COMMENT ON TABLE stays IS 'the same'",
                "INSERT INTO stays VALUES (1, 2)",
                "VACUUM FULL stays"));
    assertThat(changed)
        .extracting(Problem::thing)
        .containsExactly(
            "table public.again",
            "table public.more",
            "table public.rekeyed",
            "table public.scaled");
    assertThat(changed.get(3).found()).isEqualTo("its definition has column 2 n numeric(12,4)");
    assertThat(changed.get(3).expected()).startsWith("column 2 n numeric(10,2), as when");
    assertThat(changed.get(3).fix())
        .as("the rows stay rounded if a type is changed back")
        .contains("Load the tables again")
        .doesNotContain("undo");
  }

  /** Each question has a session of its own, with the path that its role has then. */
  @Test
  void neitherAnotherSearchPathNorNotNullIsAnotherDefinition() throws SQLException {
    assertThat(
            changedBy(
                "path",
                List.of(
                    "CREATE TYPE mood AS ENUM ('good', 'bad')",
                    "CREATE TABLE stays (id int PRIMARY KEY, m mood, n int)",
                    "CREATE PUBLICATION p FOR ALL TABLES"),
                List.of(
                    "ALTER TABLE stays ALTER n SET NOT NULL",
                    "CREATE SCHEMA elsewhere",
                    "SET search_path TO elsewhere")))
        .isEmpty();
  }

  @Test
  void twoServersAtOneAddressAreTwoSources() throws SQLException {
    // Servers of one version share the identity of their template.
    try (EmbeddedPostgres other =
            EmbeddedPostgres.builder().version(PostgresVersion.OLDER).start();
        Connection here = server.connect("postgres");
        Connection there = other.connect("postgres")) {
      SourceIdentity identity = FACTS.identity(here).orElseThrow();
      assertThat(identity.timeline()).isEqualTo(1);
      assertThat(FACTS.identity(here)).contains(identity);
      assertThat(FACTS.identity(there).orElseThrow().system()).isNotEqualTo(identity.system());
    }
  }

  @Test
  void aLogThatEndsBeforeTheBookmarkIsAnotherOne() throws SQLException {
    try (Connection session = server.connect("postgres")) {
      long end =
          Long.parseLong(
              JdbcServer.rows(session, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
                  .get(0)[0]);
      assertThat(FACTS.otherHistory(session, bookmark(1))).isEmpty();
      assertThat(FACTS.otherHistory(session, bookmark(end + (1L << 40))).orElseThrow().thing())
          .isEqualTo("source");
    }
  }

  private static Bookmark bookmark(long lsn) {
    return new Bookmark("1", Map.of(), Map.of("lsn", lsn));
  }

  private static List<Problem> changedBy(
      String database, List<String> before, List<String> statements) throws SQLException {
    server.createDatabase(database);
    try (Connection session = server.connect(database)) {
      execute(session, before);
      List<TableId> tables =
          JdbcServer.rows(session, "SELECT tablename FROM pg_publication_tables").stream()
              .map(row -> new TableId("public", row[0]))
              .toList();
      Map<TableId, DefinitionText> begun = FACTS.definitions(session, tables);
      assertThat(begun.keySet()).containsExactlyInAnyOrderElementsOf(tables);
      assertThat(changes(begun, FACTS.definitions(session, tables))).isEmpty();
      execute(session, statements);
      return changes(begun, FACTS.definitions(session, tables));
    }
  }

  /** Through their texts, as they are stored. */
  private static List<Problem> changes(
      Map<TableId, DefinitionText> then, Map<TableId, DefinitionText> now) {
    List<Problem> problems = new ArrayList<>();
    then.keySet().stream()
        .sorted()
        .forEach(
            table ->
                DefinitionText.parse(then.get(table).text())
                    .changed(table, Optional.ofNullable(now.get(table)))
                    .ifPresent(problems::add));
    return problems;
  }

  private static void execute(Connection session, List<String> statements) throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }
}
