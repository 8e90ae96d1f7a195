package dev.sluice.sink.control.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TestTarget;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ControlSchemaTest {
  @RegisterExtension static final TestTarget TARGET = new TestTarget();

  @Test
  void aSchemaOfAnEarlierVersionGetsTheLaterTablesAndColumns() throws SQLException {
    ControlSchema.create(TARGET.server(), "earlier");
    run(
        "ALTER TABLE earlier.sluice_suspended_tables DROP COLUMN state, DROP COLUMN rows_whole",
        "ALTER TABLE earlier.load_segment DROP COLUMN file_node",
        "DROP TABLE earlier.sluice_status",
        "INSERT INTO earlier.checkpoint (task, epoch) VALUES ('t', 7)");

    ControlSchema.create(TARGET.server(), "earlier");

    try (TargetConnection connection = TARGET.server().connect()) {
      assertThat(connection.exists("SELECT FROM earlier.checkpoint WHERE epoch = 7")).isTrue();
      assertThat(ReportTables.STATUS.isIn(connection, "earlier")).isTrue();
      assertThat(ProgressTables.SUSPENDED.isOldIn(connection, "earlier")).isFalse();
      assertThat(LoadTables.SEGMENT.isOldIn(connection, "earlier")).isFalse();
    }
    run(
        "INSERT INTO earlier.sluice_suspended_tables (server_name, task_name, table_owner,"
            + " table_name, suspend_reason, source_schema, source_table, first_position, position,"
            + " journal_term, journal_transaction, next_offset) VALUES ('s', 't', 'o', 'n', 'r',"
            + " 's', 't', '0/1', '0/1', 1, 1, 1)");
    try (TargetConnection connection = TARGET.server().connect()) {
      assertThat(
              connection.exists(
                  "SELECT FROM earlier.sluice_suspended_tables"
                      + " WHERE state = 'suspended' AND rows_whole"))
          .isTrue();
    }
  }

  private static void run(String... statements) throws SQLException {
    try (TargetConnection connection = TARGET.server().connect()) {
      for (String sql : statements) {
        connection.execute(sql);
      }
      connection.jdbc().commit();
    }
  }
}
