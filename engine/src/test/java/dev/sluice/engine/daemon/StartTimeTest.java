package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TwoServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A task that starts at a time has all transactions from there on, and none before. */
@ExtendWith(SharedBroker.class)
@Timeout(300)
class StartTimeTest {
  private static final String NOW =
      "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void changesAreAppliedFromTheFirstTransactionOfTheTimeOn() throws Exception {
    DdlTask task = withSlot("timed");
    insert(task, 1);
    String time = task.source(NOW);
    insert(task, 2);
    String kept = confirmed(task);
    try (RunningDaemon running = RunningDaemon.replicating(startingAt(task, time))) {
      insert(task, 3);
      running.awaitApplied();
      assertThat(applied(task)).isEqualTo("2,3");
      assertThat(confirmed(task)).isGreaterThanOrEqualTo(kept);
    }
  }

  /** Between the search and the first checkpoint a start may be killed: the slot must not move. */
  @Test
  void lookingForATimeConfirmsNothing() throws Exception {
    DdlTask task = withSlot("peeked");
    insert(task, 1);
    String time = task.source(NOW);
    insert(task, 2);
    String kept = confirmed(task);
    TaskConfig beforeTheSlot = startingAt(task, "2020-01-01T00:00:00Z");
    assertThatThrownBy(() -> RunningDaemon.start(beforeTheSlot).awaitEnd())
        .hasMessageContaining("cdc-start-position commit_time:2020-01-01T00:00:00Z")
        .hasMessageContaining("earlier ones may be gone");
    TaskConfig inTheFuture = startingAt(task, "2100-01-01T00:00:00Z");
    assertThatThrownBy(() -> RunningDaemon.start(inTheFuture).awaitEnd())
        .hasMessageContaining("a time that has passed");
    assertThat(confirmed(task)).isEqualTo(kept);
    try (RunningDaemon running = RunningDaemon.replicating(startingAt(task, time))) {
      running.awaitApplied();
      assertThat(applied(task)).isEqualTo("2");
    }
  }

  @Test
  void aTimeWithoutLaterTransactionsStartsAtTheEndOfTheLog() throws Exception {
    DdlTask task = withSlot("ended");
    insert(task, 1);
    try (RunningDaemon running = RunningDaemon.replicating(startingAt(task, task.source(NOW)))) {
      insert(task, 2);
      running.awaitApplied();
      assertThat(applied(task)).isEqualTo("2");
    }
  }

  /** A slot and a publication from before the changes. */
  private DdlTask withSlot(String name) throws Exception {
    DdlTask task = DdlTask.make(folder, name, SERVERS.source(), SERVERS.target(), "");
    String table = "CREATE TABLE %s (id int PRIMARY KEY, name text, price numeric(10,2))";
    task.onTarget(table.formatted("item"), table.formatted("first"));
    task.onSource(
        table.formatted("first"),
        "CREATE PUBLICATION sluice_%s FOR TABLE item, first".formatted(name),
        "SELECT pg_create_logical_replication_slot('sluice_%s', 'pgoutput')".formatted(name));
    // The log must have a transaction before the time.
    task.onSource("INSERT INTO first VALUES (1)");
    return task;
  }

  private static TaskConfig startingAt(DdlTask task, String time) throws Exception {
    return TaskFile.read(
        Files.writeString(
            task.file(),
            Files.readString(task.file())
                .replaceFirst("cdc-start-position: .*\n", "")
                .replace("full-load-and-cdc", "cdc")
                .replaceFirst("take-slot: true\n  ", "")
                .replace("source:\n", "source:\n  take-slot: true\n")
                .replace("data-dir:", "cdc-start-position: commit_time:" + time + "\ndata-dir:")),
        Map.of());
  }

  private static void insert(DdlTask task, int part) throws Exception {
    for (int row = 0; row < 20; row++) {
      task.onSource("INSERT INTO item VALUES (%d, '%d', 1)".formatted(part * 100 + row, part));
    }
  }

  /** The parts of which the target has all rows; each other part has none there. */
  private static String applied(DdlTask task) throws Exception {
    assertThat(task.target("SELECT count(*) % 20 FROM item")).isEqualTo("0");
    assertThat(task.target("SELECT count(*) FROM first")).isEqualTo("0");
    return task.target("SELECT string_agg(DISTINCT name, ',' ORDER BY name) FROM item");
  }

  private static String confirmed(DdlTask task) throws Exception {
    try (Connection connection = SERVERS.source().connect(task.name())) {
      return Sql.text(
          connection,
          "SELECT lpad(to_hex((confirmed_flush_lsn - '0/0')::bigint), 16, '0')"
              + " FROM pg_replication_slots WHERE slot_name = 'sluice_%s'".formatted(task.name()));
    }
  }
}
