package dev.sluice.engine.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.task.CutOverTables;
import dev.sluice.sink.target.kind.TargetServers;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class TaskTargetChecksTest {
  private static final TableId TABLE = new TableId("public", "noted");

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void aRecordOfCutoversThatCannotBeReadIsNotTakenForNoCutover() throws Exception {
    TaskConfig task = task("unread");
    onTarget("unread", "CREATE TABLE noted (id int PRIMARY KEY); INSERT INTO noted VALUES (1)");
    CutOverTables record = new CutOverTables(TargetServers.of(task.target(), "test", 0));
    record.record("earlier", List.of(TABLE), Instant.EPOCH);
    onTarget("unread", "ALTER TABLE sluice_cutover.cut_over_table RENAME cut_over_at TO moved");

    assertThat(problems(task))
        .anyMatch(problem -> problem.contains("could not read earlier cutovers"))
        .noneMatch(problem -> problem.contains("overwrite-target-rows"));

    onTarget("unread", "DROP SCHEMA sluice_cutover CASCADE");
    assertThat(problems(task)).anyMatch(problem -> problem.contains("overwrite-target-rows"));
  }

  @Test
  void suspendedTablesThatCannotBeReadAreAProblem() throws Exception {
    TaskConfig task = task("newer");
    new CheckpointStore(TargetServers.of(task.target(), "test", 0), "sluice_control").create();
    onTarget(
        "newer",
        "INSERT INTO sluice_control.sluice_suspended_tables (server_name, task_name, table_owner,"
            + " table_name, suspend_reason, suspend_timestamp, source_schema, source_table,"
            + " first_position, position, journal_term, journal_transaction, next_offset, state)"
            + " VALUES ('here', 'newer', 'public', 'noted', 'a test', now(), 'public', 'noted',"
            + " '0/1', '0/1', 1, 1, 1, 'paused')");

    assertThat(problems(task))
        .anyMatch(problem -> problem.contains("its state on the target is paused"));
  }

  private static List<String> problems(TaskConfig task) {
    return TaskChecks.of(task).findings().problems().stream().map(Problem::toString).toList();
  }

  private TaskConfig task(String name) throws SQLException, IOException {
    SERVERS.source().createDatabase(name);
    SERVERS.target().createDatabase(name);
    execute(SERVERS.source(), name, "CREATE TABLE noted (id int PRIMARY KEY)");
    return TaskFolder.of(folder, name, SERVERS.source(), SERVERS.target(), name, "public").config();
  }

  private static void onTarget(String database, String sql) throws SQLException {
    execute(SERVERS.target(), database, sql);
  }

  private static void execute(EmbeddedPostgres server, String database, String sql)
      throws SQLException {
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
