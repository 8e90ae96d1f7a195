package dev.sluice.connector.mariadb.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.mariadb.MariadbSource;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Objects that have the same name in several tables of MariaDB, on a real PostgreSQL. */
class RelationNamesTest {
  private static final String LONG = "long_".repeat(11) + "name";

  @Test
  void objectsOfDifferentTablesGetDifferentNames() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (SourceDatabase database =
            new SourceDatabase(
                // The index would have the name of the table behind it.
                "CREATE TABLE orders (id int PRIMARY KEY, x int, KEY items (x), KEY by_x (x))",
                "CREATE TABLE orders_items (id int PRIMARY KEY, x int, KEY by_x (x))",
                "CREATE TABLE orders_by (id int PRIMARY KEY, x int, KEY x (x))",
                "CREATE TABLE a (b_id bigint unsigned AUTO_INCREMENT PRIMARY KEY, x int,"
                    + " KEY pkey (x))",
                "CREATE TABLE a_b (id bigint unsigned AUTO_INCREMENT PRIMARY KEY)",
                "CREATE TABLE "
                    + LONG
                    + " (id int PRIMARY KEY, x int,"
                    + " KEY one_index (x), KEY one_other (x))");
        EmbeddedPostgres postgres = EmbeddedPostgres.start();
        Connection target = postgres.connect();
        Statement statement = target.createStatement()) {
      MariadbSource source = database.source();
      TableDefinitions definitions = definitions(database, source);
      definitions.needed().forEach(each -> run(statement, each));
      definitions.tables().forEach(each -> run(statement, each));
      steps(definitions).forEach(step -> step.statements().forEach(each -> run(statement, each)));
      assertThat(indexes(statement))
          .containsExactly(
              "a 2", "a_b 1", LONG + " 3", "orders 3", "orders_by 2", "orders_items 2");

      // A second run finds all of them.
      List<String> made = new ArrayList<>();
      for (CompletionStep step : steps(definitions)) {
        for (DefinitionStatement each : step.statements()) {
          if (!exists(statement, each)) {
            made.add(each.thing());
          }
        }
      }
      assertThat(made).isEmpty();
      assertThat(source.sequenceValues()).hasSize(2);
    }
  }

  @Test
  void anObjectOfAnotherTableIsNeverTakenForTheIndex() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (SourceDatabase database =
            new SourceDatabase("CREATE TABLE orders (id int PRIMARY KEY, x int, KEY items (x))");
        EmbeddedPostgres postgres = EmbeddedPostgres.start();
        Connection target = postgres.connect();
        Statement statement = target.createStatement()) {
      TableDefinitions definitions = definitions(database, database.source());
      definitions.needed().forEach(each -> run(statement, each));
      definitions.tables().forEach(each -> run(statement, each));
      statement.execute("CREATE TABLE %s.orders_items ()".formatted(database.name));
      assertThatThrownBy(
              () ->
                  steps(definitions)
                      .forEach(step -> step.statements().forEach(each -> run(statement, each))))
          .hasMessageContaining("relation \"orders_items\" already exists");
    }
  }

  /** As logs are rotated: a renamed table keeps the names, and so does a stranger's. */
  @Test
  void namesThatAreTakenOnTheTargetStayWhatTheyAre() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (SourceDatabase database =
            new SourceDatabase(
                "CREATE TABLE log (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, x int, KEY x (x))");
        EmbeddedPostgres postgres = EmbeddedPostgres.start();
        Connection target = postgres.connect();
        Statement statement = target.createStatement()) {
      statement.execute("CREATE SCHEMA " + database.name);
      statement.execute(
          "CREATE TABLE %1$s.other (); CREATE TABLE %1$s.log_x ()".formatted(database.name));
      for (int round = 0; round < 4; round++) {
        TableDefinitions definitions =
            definitions(database, database.source(), relations(statement));
        assertThat(definitions)
            .isEqualTo(definitions(database, database.source(), relations(statement)));
        definitions.needed().forEach(each -> run(statement, each));
        definitions.tables().forEach(each -> run(statement, each));
        steps(definitions).forEach(step -> step.statements().forEach(each -> run(statement, each)));
        statement.execute("ALTER TABLE %s.log RENAME TO log_%d".formatted(database.name, round));
      }
      assertThat(indexes(statement)).containsExactly("log_0 2", "log_1 2", "log_2 2", "log_3 2");
      assertThat(relations(statement))
          .extracting(TableId::name)
          .contains("other", "log_x", "log_pkey", "log_id_seq")
          .hasSize(2 + 4 * 4);
    }
  }

  /** The names that are taken in the schema of the source's database. */
  private static Set<TableId> relations(Statement statement) throws SQLException {
    Set<TableId> names = new HashSet<>();
    try (ResultSet row =
        statement.executeQuery(
            "SELECT n.nspname, c.relname FROM pg_class c"
                + " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname LIKE 't%'")) {
      while (row.next()) {
        names.add(new TableId(row.getString(1), row.getString(2)));
      }
    }
    return names;
  }

  private static TableDefinitions definitions(SourceDatabase database, MariadbSource source) {
    return definitions(database, source, Set.of());
  }

  private static TableDefinitions definitions(
      SourceDatabase database, MariadbSource source, Set<TableId> taken) {
    List<TableId> tables =
        source.catalog(any -> true).tables().stream().map(each -> each.table()).toList();
    return source
        .reader()
        .definitions(
            new DefinitionRequest(tables, name -> name, 16, false, taken, (table, column) -> true));
  }

  private static List<CompletionStep> steps(TableDefinitions definitions) {
    List<CompletionStep> steps = new ArrayList<>(definitions.keys());
    steps.addAll(definitions.rest());
    return steps;
  }

  private static boolean exists(Statement statement, DefinitionStatement each) throws SQLException {
    if (each.unless().isEmpty()) {
      return false;
    }
    try (ResultSet row = statement.executeQuery(each.unless())) {
      return row.next();
    }
  }

  private static void run(Statement statement, DefinitionStatement each) {
    try {
      if (!exists(statement, each)) {
        statement.execute(each.sql());
      }
    } catch (SQLException e) {
      throw new IllegalStateException(each.thing() + ": " + e.getMessage(), e);
    }
  }

  private static List<String> indexes(Statement statement) throws SQLException {
    List<String> counts = new ArrayList<>();
    try (ResultSet row =
        statement.executeQuery(
            "SELECT tablename, count(*) FROM pg_indexes WHERE schemaname LIKE 't%' GROUP BY 1"
                + " ORDER BY tablename COLLATE \"C\"")) {
      while (row.next()) {
        counts.add(row.getString(1) + " " + row.getLong(2));
      }
    }
    return counts;
  }
}
