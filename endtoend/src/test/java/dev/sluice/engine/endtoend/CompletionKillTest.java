package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.TableId;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the daemon while it creates an index of a loaded table. The test holds a lock, so that the
 * index cannot be completed before.
 */
class CompletionKillTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String DATABASE = "completed";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @Test
  void aKilledCompletionGoesOnWhereItWasAndTriggersFireOnlyAfterTheCutover(@TempDir Path folder)
      throws Exception {
    SERVERS.source().createDatabase(DATABASE);
    SERVERS.target().createDatabase(DATABASE);
    Path task =
        TaskFolder.of(folder, DATABASE, SERVERS.source(), SERVERS.target(), DATABASE, "app")
            .settings("{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}}")
            .replacing("data-dir:", "run-source-code: true\ndata-dir:")
            .write();
    try (Connection from = SERVERS.source().connect(DATABASE);
        Connection to = SERVERS.target().connect(DATABASE);
        Connection blocker = SERVERS.target().connect(DATABASE)) {
      run(
          from,
          "CREATE SCHEMA app",
          "CREATE FUNCTION app.waiting(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$"
              + " BEGIN PERFORM pg_catalog.pg_advisory_xact_lock_shared(42); RETURN n; END $$",
          "CREATE FUNCTION app.fired() RETURNS trigger LANGUAGE plpgsql AS $$"
              + " BEGIN NEW.fired := NEW.fired + 1; RETURN NEW; END $$",
          "CREATE TABLE app.parent (id int PRIMARY KEY)",
          "CREATE TABLE app.child (id serial PRIMARY KEY, parent int NOT NULL"
              + " CONSTRAINT has_parent REFERENCES app.parent, fired int DEFAULT 0)",
          "CREATE INDEX made ON app.child (parent)",
          "CREATE INDEX waits ON app.child (app.waiting(parent))",
          "CREATE TRIGGER fires BEFORE INSERT ON app.child FOR EACH ROW EXECUTE FUNCTION"
              + " app.fired()",
          "ALTER TABLE app.child ENABLE ALWAYS TRIGGER fires",
          "INSERT INTO app.parent SELECT generate_series(1, 10)",
          "INSERT INTO app.child (parent) SELECT generate_series(1, 10)");
      run(blocker, "SELECT pg_advisory_lock(42)");
      String made;
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPassingPhase("completing");
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    text("SELECT count(*) FROM pg_class WHERE relname = 'made'").equals("1")
                        && state(daemon, "app.waits").equals("running"));
        made = text("SELECT oid::text FROM pg_class WHERE relname = 'made'");
        run(
            from,
            "INSERT INTO app.child (parent) VALUES (1), (2)",
            "DELETE FROM app.child WHERE id = 5");
        daemon.kill();
      }
      run(blocker, "SELECT pg_advisory_unlock(42)");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertThat(text("SELECT oid::text FROM pg_class WHERE relname = 'made'")).isEqualTo(made);
        assertThat(text("SELECT count(*) FROM pg_class WHERE relname = 'waits'")).isEqualTo("1");
        assertThat(text("SELECT count(*)::text FROM pg_trigger WHERE tgname = 'fires'"))
            .isEqualTo("0");
        assertThat(state(daemon, "app.waits")).isEqualTo("done");

        DaemonProcess.Finished cutover =
            DaemonProcess.commandHere("cutover", task.toString(), "--quiet-period");

        assertThat(cutover.exitCode()).as(cutover.output() + daemon.output()).isZero();
        // Constraints are validated while the applications already write.
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    daemon
                        .status()
                        .at("/cutover/report")
                        .toString()
                        .contains("constraints and triggers: "));
        Comparison.assertEqual(
            from, to, List.of(new TableId("app", "parent"), new TableId("app", "child")));
        assertThat(text("SELECT max(fired)::text FROM app.child")).isEqualTo("1");
        assertThat(
                text("SELECT convalidated::text FROM pg_constraint WHERE conname = 'has_parent'"))
            .isEqualTo("true");
        assertThat(
                text(
                    "INSERT INTO app.child (parent) VALUES (3) RETURNING fired::text || ' ' || id"))
            .isEqualTo("1 13");
        assertThat(DaemonProcess.commandHere("stop", task.toString(), "--drop").exitCode())
            .isZero();
        assertThat(daemon.awaitEnd()).as(daemon.output()).isZero();
      }
    }
  }

  /** The state of a completion step. */
  private static String state(DaemonProcess daemon, String name) throws Exception {
    for (JsonNode step : daemon.status().path("completion")) {
      if (step.path("name").asText().equals(name)) {
        return step.path("state").asText();
      }
    }
    return "not told";
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    for (String sql : statements) {
      Sql.execute(connection, sql);
    }
  }

  private static String text(String sql) throws SQLException {
    return Sql.text(SERVERS.target(), DATABASE, sql);
  }
}
