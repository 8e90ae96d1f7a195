package dev.sluice.connector.mariadb.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeptNameTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"log", "a'b\"c%s $sluice$ \\'", "größegrößegrößegrößegrößegrößegrößegröße"})
  void whatARenamedTableKeptGetsAnotherNameAndStaysItsOwn(String table) throws SQLException {
    TableId target = new TableId("public", table);
    TableId index = new TableId("public", table + "_k");
    TableId sequence = new TableId("public", table + "_s");
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start();
        Connection connection = postgres.connect();
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < 3; i++) {
        make(statement, new KeptName(index, target));
        make(statement, new KeptName(sequence, target));
        statement.execute("CREATE TABLE %s (id int, v int)".formatted(target.quoted()));
        statement.execute(
            "ALTER TABLE %s ADD CONSTRAINT %s PRIMARY KEY (id)"
                .formatted(target.quoted(), TableId.quote(index.name())));
        statement.execute(
            "CREATE SEQUENCE %s OWNED BY %s.v".formatted(sequence.quoted(), target.quoted()));
        assertThat(isSkipped(statement, new KeptName(index, target).freed())).isTrue();
        assertThat(isSkipped(statement, new KeptName(sequence, target).freed())).isTrue();
        statement.execute(
            "ALTER TABLE %s RENAME TO %s".formatted(target.quoted(), TableId.quote("t" + i)));
      }
      assertThat(
              rows(
                  statement,
                  "SELECT t.relname || ' ' || count(*) FROM pg_class t JOIN pg_class c ON c.oid IN"
                      + " (SELECT indexrelid FROM pg_index WHERE indrelid = t.oid UNION ALL"
                      + " SELECT objid FROM pg_depend WHERE refobjid = t.oid AND deptype = 'a')"
                      + " WHERE t.relname ~ '^t[0-9]$' AND c.relkind IN ('i', 'S')"
                      + " GROUP BY t.relname ORDER BY 1"))
          .containsExactly("t0 2", "t1 2", "t2 2");
    }
  }

  @Test
  void aTableOfTheNameKeepsIt() throws SQLException {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start();
        Connection connection = postgres.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE log_k ()");
      statement.execute("CREATE SEQUENCE log_s");
      TableId log = new TableId("public", "log");
      for (String name : List.of("log_k", "log_s")) {
        assertThat(isSkipped(statement, new KeptName(new TableId("public", name), log).freed()))
            .as(name)
            .isTrue();
      }
    }
  }

  private static void make(Statement statement, KeptName name) throws SQLException {
    if (!isSkipped(statement, name.freed())) {
      statement.execute(name.freed().sql());
    }
  }

  private static boolean isSkipped(Statement statement, DefinitionStatement freed)
      throws SQLException {
    return !rows(statement, freed.unless()).isEmpty();
  }

  private static List<String> rows(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      List<String> rows = new ArrayList<>();
      while (row.next()) {
        rows.add(row.getString(1));
      }
      return rows;
    }
  }
}
