package dev.sluice.engine.task;

import static dev.sluice.engine.Sql.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TaskConfig;
import dev.sluice.config.TaskFile;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.EmbeddedPostgres;
import dev.sluice.sink.checkpoint.CheckpointStore;
import dev.sluice.sink.target.TargetServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A second daemon of a task, as on another machine: both have the same servers and the same Kafka.
 */
class TakeoverTest {
  @TempDir static Path folder;

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;
  private static EmbeddedBroker kafka;

  @BeforeAll
  static void start() {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
    kafka = EmbeddedBroker.start(folder.resolve("kafka"));
  }

  @AfterAll
  static void stop() {
    kafka.close();
    source.close();
    target.close();
  }

  @Test
  void whoReplicatedEndsAndDoesNotTakeTheTaskBack() throws Exception {
    DdlTask task = DdlTask.make(folder, "replicated", source, target, "");
    task.onSource("INSERT INTO item SELECT i, 'loaded', 1 FROM generate_series(1, 1000) i");
    RunningDaemon first = RunningDaemon.start(config(task, "first"));
    first.awaitPhase("replicating");
    try (RunningDaemon second = RunningDaemon.start(config(task, "second"))) {
      second.awaitPhase("replicating");
      task.onSource(
          "UPDATE item SET name = 'changed' WHERE id % 7 = 0", "DELETE FROM item WHERE id < 9");
      assertThatThrownBy(first::awaitEnd).hasMessageContaining("claimed by another daemon");
      task.assertEqual(second);
      assertThat(second.daemon().status().phase()).isEqualTo("replicating");
    }
  }

  /** Two daemons would end each other's sessions for ever, and each take that for a break. */
  @Test
  void aClaimThatWasTakenIsNotTakenBack() {
    CheckpointStore store =
        new CheckpointStore(
            new TargetServer(
                "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(target.port()),
                "postgres",
                null,
                "sluice test",
                0),
            "sluice_control");
    store.create();
    TaskClaim first = new TaskClaim(store, "orders");
    TaskClaim second = new TaskClaim(store, "orders");
    assertThat(first.next().epoch()).isEqualTo(1);
    assertThat(first.next().epoch()).as("after a failure that passed").isEqualTo(2);

    assertThat(second.next().epoch()).as("of a daemon that comes").isEqualTo(3);
    assertThatThrownBy(first::next)
        .isInstanceOf(SluiceException.Fenced.class)
        .hasMessageContaining("claimed by another daemon");
    assertThat(second.next().epoch()).isEqualTo(4);
  }

  @Test
  void whoLoadedEndsAndItsSuccessorLoads() throws Exception {
    DdlTask task = DdlTask.make(folder, "loaded", source, target, "");
    task.onSource(
        "INSERT INTO item SELECT i, 'loaded', 1 FROM generate_series(1, 1000) i",
        "CREATE TABLE unkeyed (id int)",
        "ALTER TABLE unkeyed REPLICA IDENTITY FULL",
        "INSERT INTO unkeyed SELECT generate_series(1, 1000)");
    task.withLoadSetting("CommitRate: 10");
    task.onTarget(
        "CREATE FUNCTION public.held() RETURNS boolean LANGUAGE plpgsql AS"
            + " $$ BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN true; END $$");
    try (Connection gate = target.connect("loaded")) {
      execute(gate, "SELECT pg_advisory_lock(42)");
      task.onTarget(
          "CREATE FUNCTION public.hold() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN"
              + " IF to_regclass('public.unkeyed') IS NOT NULL AND NOT EXISTS (SELECT FROM"
              + " pg_constraint WHERE conname = 'held') THEN ALTER TABLE public.unkeyed ADD"
              + " CONSTRAINT held CHECK (public.held()); END IF; END $$",
          "CREATE EVENT TRIGGER hold ON ddl_command_end WHEN TAG IN ('CREATE TABLE')"
              + " EXECUTE FUNCTION public.hold()",
          "ALTER EVENT TRIGGER hold ENABLE ALWAYS");
      RunningDaemon first = RunningDaemon.start(config(task, "first"));
      first.awaitPhase("full-load");
      try (RunningDaemon second = RunningDaemon.start(config(task, "second"))) {
        assertThatThrownBy(first::awaitEnd).hasMessageContaining("another daemon");
        execute(gate, "SELECT pg_advisory_unlock(42)");
        second.awaitPhase("replicating");
        task.assertEqual(second);
      }
    }
  }

  /** With a folder of its own. */
  private static TaskConfig config(DdlTask task, String daemon) throws Exception {
    Path file = folder.resolve(task.name() + "-" + daemon + ".yaml");
    Files.writeString(
        file,
        Files.readString(task.file())
            .replaceFirst(
                "data-dir: (\\S+)",
                "kafka: { bootstrap.servers: \"%s\" }\ndata-dir: $1-%s"
                    .formatted(kafka.bootstrapServers(), daemon)));
    return TaskFile.read(file, Map.of());
  }
}
