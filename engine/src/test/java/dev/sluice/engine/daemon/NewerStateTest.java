package dev.sluice.engine.daemon;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.context.TaskLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a newer Sluice has written is refused by each way to use it, and nothing is touched. */
class NewerStateTest {
  private static final String DATABASE = "newer";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  private TaskConfig config;

  @BeforeEach
  void replicate() throws Exception {
    SERVERS.source().createDatabase(DATABASE);
    SERVERS.target().createDatabase(DATABASE);
    execute(SERVERS.source(), DATABASE, "CREATE TABLE noted (id int PRIMARY KEY)");
    execute(SERVERS.source(), DATABASE, "INSERT INTO noted VALUES (1)");
    config =
        TaskFolder.of(folder, DATABASE, SERVERS.source(), SERVERS.target(), DATABASE, "public")
            .settings("{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}}")
            .config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
    }
  }

  @AfterEach
  void drop() throws SQLException {
    try (TaskLock lock = TaskLock.take(DATABASE, config.dataDir())) {
      TaskRemoval.of(config).remove(lock);
    }
    assertThat(config.dataDir().resolve("version")).doesNotExist();
    execute(SERVERS.source(), "postgres", "DROP DATABASE " + DATABASE + " WITH (FORCE)");
    execute(SERVERS.target(), "postgres", "DROP DATABASE " + DATABASE + " WITH (FORCE)");
  }

  @Test
  void aNewerControlSchemaIsRefusedByStartCheckRemovalAndResync() throws Exception {
    execute(
        SERVERS.target(),
        DATABASE,
        "INSERT INTO sluice_control.control_version (version, written_by) VALUES (7, '9.1.0')");
    try {
      String refusal = "version 7, written by Sluice 9.1.0";
      assertThat(TaskChecks.of(config).findings().problems())
          .singleElement()
          .extracting(Problem::toString)
          .asString()
          .contains("control schema sluice_control", refusal);
      assertRefused(refusal, () -> new TaskDaemon(config).run());
      assertRefused(refusal, () -> underLock(lock -> TaskRemoval.of(config).remove(lock)));
      assertRefused(
          refusal, () -> underLock(lock -> TaskRemoval.of(config).removeWithoutSource(lock)));
      assertRefused(
          refusal,
          () ->
              underLock(
                  lock -> {
                    ResyncRequest.of(config).make(lock, false);
                    return true;
                  }));
    } finally {
      execute(
          SERVERS.target(),
          DATABASE,
          "DELETE FROM sluice_control.control_version WHERE version = 7");
    }
  }

  @Test
  void newerEventTriggersAreRefusedByStartAndCheckAndAreNotReplaced() throws Exception {
    String installed =
        rows(
                SERVERS.source(),
                DATABASE,
                "SELECT obj_description('sluice_ddl'::regnamespace, 'pg_namespace')")
            .get(0);
    assertThat(installed).startsWith("Sluice's event triggers, version 1, ");
    comment("Sluice's event triggers, version 12, 9a8b7c6d");
    try {
      String refusal = "version 12, of a newer Sluice";
      assertThat(TaskChecks.of(config).findings().problems())
          .extracting(Problem::toString)
          .anyMatch(problem -> problem.contains(refusal));
      assertRefused(refusal, () -> new TaskDaemon(config).run());
    } finally {
      comment(installed.replace("'", "''"));
    }
  }

  @Test
  void aNewerDataDirectoryIsRefusedByTheStart() throws Exception {
    Path version = config.dataDir().resolve("version");
    String written = Files.readString(version);
    Files.writeString(version, "5 9.1.0\n");
    try {
      assertRefused("version 5, written by Sluice 9.1.0", () -> new TaskDaemon(config).run());
    } finally {
      Files.writeString(version, written);
    }
  }

  /** Refused with this text, and both servers and the directory are as before. */
  private void assertRefused(String text, ThrowingCallable use) throws Exception {
    List<String> before = everything();
    assertThatThrownBy(use)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(text)
        .hasMessageContaining("nothing is changed");
    assertThat(everything()).isEqualTo(before);
  }

  private interface Use {
    Object of(TaskLock lock) throws Exception;
  }

  private void underLock(Use use) throws Exception {
    try (TaskLock lock = TaskLock.take(DATABASE, config.dataDir())) {
      use.of(lock);
    }
  }

  private void comment(String text) throws SQLException {
    String comment = text.contains("''") ? text : text.replace("'", "''");
    execute(SERVERS.source(), DATABASE, "COMMENT ON SCHEMA sluice_ddl IS '" + comment + "'");
  }

  /** Slots, publications, triggers, tables with their rows, and the journal's records. */
  private List<String> everything() throws Exception {
    List<String> found = new ArrayList<>();
    EmbeddedPostgres source = SERVERS.source();
    found.addAll(
        rows(source, DATABASE, "SELECT slot_name, confirmed_flush_lsn FROM pg_replication_slots"));
    found.addAll(rows(source, DATABASE, "SELECT oid, pubname FROM pg_publication ORDER BY 1"));
    found.addAll(rows(source, DATABASE, "SELECT oid, evtname FROM pg_event_trigger ORDER BY 1"));
    found.addAll(
        rows(source, DATABASE, "SELECT oid FROM pg_proc WHERE xmin::text <> '1' ORDER BY 1"));
    found.addAll(tables(source));
    found.addAll(tables(SERVERS.target()));
    try (var files = Files.walk(config.dataDir().resolve("kafka"))) {
      // Its broker starts beside the checks, and keeps books of its own.
      files
          .filter(file -> file.toString().contains("sluice."))
          .filter(file -> file.toString().endsWith(".log"))
          .map(file -> file + " " + file.toFile().length())
          .sorted()
          .forEach(found::add);
    }
    return found;
  }

  private static List<String> tables(EmbeddedPostgres server) throws SQLException {
    return rows(
        server,
        DATABASE,
        """
        SELECT c.oid::regclass, query_to_xml(format('SELECT * FROM %s ORDER BY 1', c.oid::regclass),
          true, true, '')
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND (n.nspname LIKE 'sluice%' OR n.nspname = 'public') ORDER BY 1
        """);
  }
}
