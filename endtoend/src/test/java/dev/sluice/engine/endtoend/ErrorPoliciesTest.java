package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A task with the error policies of DMS continues on a target that differs, and reports every
 * difference.
 */
class ErrorPoliciesTest {

  @Test
  void whatTheTargetDoesNotTakeIsNamedOnceAlsoWhenTheDaemonIsKilled(@TempDir Path folder)
      throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.start()) {
      server.createDatabase("differs");
      server.createDatabase("copy");
      try (Connection source = server.connect("differs");
          Connection target = server.connect("copy")) {
        run(
            source,
            "CREATE SCHEMA shop",
            "CREATE TABLE shop.item (id int PRIMARY KEY, name text)",
            "CREATE TABLE shop.gone (id int PRIMARY KEY)",
            "INSERT INTO shop.item SELECT g, 'loaded' FROM generate_series(1, 100) g");
        Path task = task(folder, server);
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          run(target, "DELETE FROM shop.item WHERE id <= 50", "DROP TABLE shop.gone");
          run(
              source,
              "BEGIN; UPDATE shop.item SET name = 'new' WHERE id IN (7, 70);"
                  + " INSERT INTO shop.gone VALUES (1); COMMIT");
          daemon.awaitAllAppliedButNamed();
          assertThat(rows(target, "SELECT name FROM shop.item WHERE name = 'new'")).hasSize(1);
          assertThat(exceptions(target))
              .containsExactlyInAnyOrder("item UPDATE 7", "gone INSERT 1");
          JsonNode suspended = daemon.status().at("/suspended/0");
          assertThat(suspended.path("table").asText()).isEqualTo("gone");
          assertThat(suspended.path("reason").asText()).contains("does not exist");
          change(source, 1, 50);
          daemon.kill();
        }
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          run(target, "CREATE TABLE shop.gone (id int PRIMARY KEY)");
          run(source, "INSERT INTO shop.gone VALUES (2)");
          daemon.awaitAllAppliedButNamed();
          JsonNode status = daemon.status();
          assertThat(status.at("/suspended/0/table").asText()).isEqualTo("gone");
          Awaitility.await()
              .atMost(Duration.ofMinutes(5))
              .until(
                  () ->
                      rows(
                              target,
                              "SELECT task_status || suspended_tables FROM"
                                  + " sluice_control.sluice_status WHERE phase = 'replicating'")
                          .equals(List.of("CHANGE PROCESSING1")));
          assertThat(rows(target, "SELECT id FROM shop.gone")).isEmpty();
          String file = task.toString();
          assertThat(DaemonProcess.commandHere("wait", file).exitCode()).isEqualTo(5);
          refuse("not a table name", "resume", file, "gone");
          refuse("Did you mean \"shop.gone\"", "resume", file, "shop.gon");
          refuse("not a selected table", "reload", file, "\"shop.gone\".x");
          DaemonProcess.Finished resumed =
              DaemonProcess.commandHere("resume", file, "shop.\"gone\"");
          assertThat(resumed.exitCode()).as(resumed.output()).isZero();
          daemon.awaitAllAppliedButNamed();
          assertThat(daemon.terminate()).isZero();
          refuse("no daemon runs", "reload", file, "shop.gone");
        }
        assertThat(rows(target, "SELECT id FROM shop.gone ORDER BY id")).containsExactly("1", "2");
        assertThat(rows(target, "SELECT name FROM shop.item WHERE id > 50 AND id <> 70"))
            .hasSize(49)
            .containsOnly("changed");
        List<String> named = exceptions(target);
        assertThat(named).doesNotHaveDuplicates().hasSize(51).contains("item UPDATE 50");
        assertThat(
                rows(
                    target,
                    "SELECT sum(conflicts) FROM sluice_control.sluice_history"
                        + " WHERE source_table <> ''"))
            .containsExactly("51");
        assertThat(rows(target, "SELECT task_status FROM sluice_control.sluice_status"))
            .containsExactly("NOT RUNNING");
      }
    }
  }

  private static void refuse(String why, String... command) throws Exception {
    DaemonProcess.Finished finished = DaemonProcess.commandHere(command);
    assertThat(finished.exitCode()).as(finished.output()).isEqualTo(2);
    assertThat(finished.output()).contains(why);
  }

  /** One transaction for each row, each row once: the half that is missing is rejected. */
  private static void change(Connection source, int from, int to) throws SQLException {
    for (int id = from; id <= to; id++) {
      if (id != 7) {
        run(source, "UPDATE shop.item SET name = 'changed' WHERE id IN (" + id + ")");
      }
      if (id + 50 != 70) {
        run(source, "UPDATE shop.item SET name = 'changed' WHERE id = " + (id + 50));
      }
    }
  }

  private static Path task(Path folder, EmbeddedPostgres server) throws Exception {
    String target = "target:\n  type: postgresql\n  url: postgresql://postgres@127.0.0.1:%d/%s";
    return TaskFolder.of(folder, "differs", server, server, "differs", "shop")
        .replacing(
            target.formatted(server.port(), "differs"), target.formatted(server.port(), "copy"))
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " Sluice: {ErrorProfile: dms-defaults},"
                + " ControlTablesSettings: {HistoryTableEnabled: true, StatusTableEnabled: true}}")
        .write();
  }

  private static List<String> exceptions(Connection target) throws SQLException {
    return rows(
        target,
        "SELECT concat_ws(' ', source_table, operation, key ->> 'id')"
            + " FROM sluice_control.sluice_apply_exceptions ORDER BY id");
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static List<String> rows(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      List<String> rows = new ArrayList<>();
      while (row.next()) {
        rows.add(row.getString(1));
      }
      return rows;
    }
  }
}
