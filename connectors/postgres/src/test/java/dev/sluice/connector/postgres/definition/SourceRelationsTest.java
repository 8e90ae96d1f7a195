package dev.sluice.connector.postgres.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class SourceRelationsTest {
  private static final int TABLES = 300;

  @Test
  void theWholeCatalogIsNotReadForEachTable() throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.start();
        Connection connection = server.connect("postgres");
        Statement statement = connection.createStatement()) {
      List<TableId> tables = new ArrayList<>();
      for (int number = 0; number < TABLES; number++) {
        statement.execute("CREATE TABLE t" + number + " (id int)");
        tables.add(new TableId("public", "t" + number));
      }
      // Counts of a transaction are exact at once; others come later.
      connection.setAutoCommit(false);
      long before = read(statement);
      assertThat(
              new SourceRelations(new CatalogRows(connection), UnaryOperator.identity()).of(tables))
          .hasSize(TABLES);
      long catalog = number(statement, "SELECT count(*) FROM pg_class");
      assertThat(read(statement) - before).isLessThan(10 * catalog);
    }
  }

  /** Rows of the catalog of relations that this transaction has read from end to end. */
  private static long read(Statement statement) throws SQLException {
    return number(
        statement,
        "SELECT seq_tup_read FROM pg_stat_xact_sys_tables WHERE relid = 'pg_class'::regclass");
  }

  private static long number(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      assertThat(row.next()).isTrue();
      return row.getLong(1);
    }
  }
}
