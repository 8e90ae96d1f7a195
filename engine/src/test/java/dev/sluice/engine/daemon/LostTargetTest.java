package dev.sluice.engine.daemon;

import static dev.sluice.engine.daemon.WayBackTask.begun;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.journal.Publisher;
import dev.sluice.embedded.FreePort;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.capture.DaemonLocation;
import dev.sluice.engine.command.CommandLines;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.fallback.ForwardTask;
import dev.sluice.engine.fallback.LostSide;
import dev.sluice.engine.journal.JournalBroker;
import dev.sluice.sink.control.schema.Checkpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What must not be so when somebody says that the new side is lost. */
@ExtendWith(SharedBroker.class)
class LostTargetTest {
  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void aNewSideThatAnswersIsNotLost() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "alive");
    begun(task).close();

    assertThat(open(task)).isEqualTo(2);
    assertClosed(task);
    assertThatThrownBy(() -> ForwardTask.of(task.fallback()).orElseThrow().requireLost())
        .hasMessageContaining("takes logins")
        .hasMessageContaining("sluice fallback");
    // A server that refuses the login lives, too.
    try (Connection connection = SERVERS.target().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER DATABASE alive ALLOW_CONNECTIONS false");
    }
    assertThat(open(task)).isEqualTo(2);
    assertClosed(task);

    task.withTargetPort(FreePort.find());
    assertThat(open(task)).isZero();
    task.onSource("INSERT INTO sold (what) VALUES ('here')");
  }

  @Test
  void aWayBackThatRunsElsewhereIsNotOvertakenByACopy() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "copied").withOwnBroker();
    Path there = task.fallback().dataDir();
    Path here = folder.resolve("copy_fallback");
    try (RunningDaemon back = begun(task)) {
      useDirectory(task, here);
      String text = Files.readString(task.file());
      task.withTargetPort(FreePort.find());
      // Without the journal nothing else is in the way.
      assertThat(open(task, "--skip-journal")).isEqualTo(2);
      assertClosed(task);
      assertThat(back.phase()).isEqualTo("replicating");
      Files.writeString(task.file(), text);
      task.onTarget("INSERT INTO sold (what) VALUES ('there')");
      back.awaitApplied();
    }
    task.withTargetPort(FreePort.find());

    assertThat(open(task)).isEqualTo(2);
    assertClosed(task);
    assertThat(
            new DaemonLocation(TaskContext.of(task.fallback()), Optional::empty)
                .copied()
                .orElseThrow()
                .toString())
        .contains(there.toString(), "--journal-moved");

    delete(here);
    Files.move(there, here);
    assertThat(open(task, "--journal-moved")).isZero();
    assertThat(task.source("SELECT count(*) FROM sold")).isEqualTo("1");
    task.onSource("INSERT INTO sold (what) VALUES ('here')");
  }

  @Test
  void whatLacksMoreThanTheLastChangesIsNamedAndOpenedOnlyOnRequest() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "holes");
    try (RunningDaemon back = begun(task)) {
      task.onTarget("INSERT INTO sold (what) SELECT 'there ' || i FROM generate_series(1, 50) i");
      back.awaitApplied();
    }
    task.onSource(
        "SELECT setval('sold_id_seq', 3)",
        """
        INSERT INTO sluice_control.sluice_suspended_tables
        SELECT 'here', task, 'public', 'item', 'emptied', now(), 'public', 'item', position, position,
          journal_term, journal_transaction, next_offset, journal_topic_id, 'reloading', false
        FROM sluice_control.checkpoint WHERE task = 'holes_fallback'""");
    task.withTargetPort(FreePort.find());

    try (LostSide side = LostSide.read(task.fallback(), false)) {
      assertThat(side.missing())
          .singleElement()
          .asString()
          .contains("public.item", "rows may be missing altogether");
    }
    assertThat(open(task)).isEqualTo(2);
    assertClosed(task);
    assertThat(open(task, "--accept-missing-rows")).isZero();
    assertThat(task.source("SELECT last_value >= 10050 FROM sold_id_seq")).isEqualTo("t");
    task.onSource("INSERT INTO sold (what) VALUES ('here')");
  }

  /** As after a daemon that was killed soon after its start. */
  @Test
  void aTermThatHasRepeatedOnlyAPartIsNotTheEndOfTheJournal() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "repeated");
    begun(task).close();
    TaskContext context = TaskContext.of(task.fallback());
    Checkpoint known = context.checkpoints().read(context.task()).orElseThrow();
    journal(context, known.epoch() + 1, known.position(), 2);
    journal(context, known.epoch() + 2, known.position(), 1);
    task.withTargetPort(FreePort.find());

    assertThat(open(task)).isZero();
    assertThat(task.source("SELECT string_agg(what, ', ' ORDER BY id) FROM sold"))
        .isEqualTo("there 1, there 2");
  }

  /** Journals a term with that many transactions behind a position, one new row each. */
  private static void journal(TaskContext context, long term, Position start, int transactions) {
    RowSchema sold =
        new RowSchema(
            new TableId("public", "sold"),
            List.of(
                new Column("id", "integer", false, true),
                new Column("what", "text", false, false)));
    try (JournalBroker broker =
            JournalBroker.open(context.config().kafka(), context.config().dataDir());
        Publisher publisher =
            new Publisher(
                new KafkaProducer<>(
                    broker.client(), new ByteArraySerializer(), new ByteArraySerializer()),
                context.topics(),
                term,
                start,
                DataSize.ofMebibytes(1))) {
      for (int i = 1; i <= transactions; i++) {
        publisher.change(new RowChange(sold, null, RowBuilder.rowOf("" + i, "there " + i)));
        publisher.commit(new Position(start.high(), start.low() + i * 1_000_000L), 0, 0);
      }
    }
  }

  private static int open(DdlTask task, String... more) {
    return CommandLines.run(
        Stream.concat(
                Stream.of("fallback", task.file().toString(), "--target-lost", "--yes"),
                Stream.of(more))
            .toArray(String[]::new));
  }

  private static void assertClosed(DdlTask task) {
    assertThatThrownBy(() -> task.onSource("DELETE FROM sold")).hasMessageContaining("moved");
  }

  private static void useDirectory(DdlTask task, Path directory) throws IOException {
    String text = Files.readString(task.file());
    Files.writeString(
        task.file(),
        text.replaceFirst("fallback: \\{ ", "fallback: { data-dir: " + directory + ", "));
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
