package dev.sluice.connect;

import static dev.sluice.connect.ConnectLab.CONTROL;
import static dev.sluice.connect.ConnectLab.await;
import static dev.sluice.connect.ConnectLab.journal;
import static dev.sluice.sink.JournalScript.delete;
import static dev.sluice.sink.JournalScript.insert;
import static dev.sluice.sink.JournalScript.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.sink.JournalScript;
import dev.sluice.sink.window.policy.CloseReason;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The connector on a Sluice journal, real Kafka and a real target. */
final class SluiceSinkTaskTest {
  private static final String ROWS = "sluice_target_rows_total";
  private static final String WINDOWS = "sluice_windows_applied_total";

  @TempDir static Path directory;
  private static ConnectLab lab;

  private final JournalScript script = new JournalScript().term(1, 0);
  private String name;
  private TestWorker worker;

  @BeforeAll
  static void start() throws Exception {
    lab = new ConnectLab(directory);
  }

  @AfterAll
  static void stop() throws Exception {
    lab.close();
  }

  @BeforeEach
  void begin() throws Exception {
    name = lab.begin();
  }

  @AfterEach
  void end() throws Exception {
    lab.run("ALTER DATABASE target CONNECTION LIMIT -1");
    if (worker != null) {
      worker.close();
    }
  }

  @Test
  void aJournalsTransactionsReachTheTargetAndOnlyDurableOffsetsAreCommitted() throws Exception {
    script.transaction(10, insert(1, "a"), insert(2, "b"));
    script.transaction(20, update(1, "c"), delete(2));
    lab.publish(name, script);
    worker = lab.worker(lab.properties(name)).start();
    await().until(() -> turned().items().equals(List.of("1=c")));
    await().until(() -> turned() != null && worker.committed() == 3);
    assertThat(lab.query("SELECT next_offset || ' ' || durable FROM " + CONTROL + ".checkpoint"))
        .containsExactly("3 0/14");
  }

  @Test
  void aWindowClosesInTimeEvenIfNoRecordsCome() throws Exception {
    script.transaction(10, insert(1, "a"));
    lab.publish(name, script);
    Map<String, String> properties = lab.properties(name);
    properties.put("batch.apply.timeout.min", "0.3");
    worker = lab.worker(properties).start();
    await().until(() -> turned().items().equals(List.of("1=a")));
    assertThat(worker.unasked()).isZero();
  }

  @Test
  void theTargetsCheckpointSaysWhereToGoOnWhateverTheGroupHasCommitted() throws Exception {
    script.transaction(10, insert(1, "a"));
    lab.publish(name, script);
    worker = lab.worker(lab.properties(name)).start();
    await().until(() -> turned().items().equals(List.of("1=a")));
    worker.vanish();
    script.transaction(20, insert(2, "b"));
    script.transaction(30, insert(3, "c"));
    lab.publish(name, script);
    for (long wrong : List.of(4, 0)) {
      worker = lab.worker(lab.properties(name));
      worker.commitByHand(wrong);
      worker.start();
      await().until(() -> turned().items().equals(List.of("1=a", "2=b", "3=c")));
      worker.close();
    }
    worker = null;
  }

  @Test
  void aTaskThatWasSupersededWritesNothingMore() throws Exception {
    script.transaction(10, insert(1, "a"));
    lab.publish(name, script);
    TestWorker zombie = lab.worker(lab.properties(name)).start();
    await()
        .until(
            () -> {
              zombie.turn();
              return lab.items().equals(List.of("1=a"));
            });
    worker = lab.worker(lab.properties(name)).start();
    script.transaction(20, insert(2, "b"));
    lab.publish(name, script);
    assertThatThrownBy(zombie::turnUntilItFails)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("was claimed by another");
    assertThat(lab.items()).containsExactly("1=a");
    await().until(() -> turned().items().equals(List.of("1=a", "2=b")));
    zombie.close();
  }

  @Test
  void aTargetThatIsAwayAtTheStartIsWaitedFor() throws Exception {
    script.transaction(10, insert(1, "a"));
    lab.publish(name, script);
    lab.run("ALTER DATABASE target CONNECTION LIMIT 0");
    worker = lab.worker(lab.properties(name)).start();
    await().until(() -> turned() != null && worker.redeliveries() > 1);
    lab.run("ALTER DATABASE target CONNECTION LIMIT -1");
    await().until(() -> turned().items().equals(List.of("1=a")));
  }

  @Test
  void aTargetThatStaysAwayFailsTheTaskWhenTheBudgetIsSpent() throws Exception {
    lab.run("ALTER DATABASE target CONNECTION LIMIT 0");
    Map<String, String> properties = lab.properties(name);
    properties.put("recoverable.error.count", "2");
    TestWorker failing = lab.worker(properties).start();
    assertThatThrownBy(failing::turnUntilItFails)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("given up after 3 tries");
    failing.vanish();
  }

  @Test
  void failuresThatPassedDoNotCountAgainstTheBudgetOfLaterOnes() throws Exception {
    script.transaction(10, insert(1, "a"));
    lab.publish(name, script);
    Map<String, String> properties = lab.properties(name);
    properties.put("recoverable.error.count", "1");
    worker = lab.worker(properties).start();
    await().until(() -> turned().items().equals(List.of("1=a")));
    for (int id = 2; id <= 4; id++) {
      lab.run(
          "UPDATE "
              + CONTROL
              + ".checkpoint SET position = '0/1', journal_transaction = 0, next_offset = 1");
      lab.run("TRUNCATE shop.items");
      script.transaction(10 * id, insert(id, "b"));
      lab.publish(name, script);
      int wanted = id;
      await().until(() -> turned().items().size() == wanted);
    }
  }

  @Test
  void aTaskThatIsStoppedLeavesNoSessionOnTheTarget() throws Exception {
    script.transaction(10, insert(1, "a"));
    lab.publish(name, script);
    TestWorker stopped = lab.worker(lab.properties(name)).start();
    await()
        .until(
            () -> {
              stopped.turn();
              return lab.items().equals(List.of("1=a"));
            });
    assertThat(sessions()).isNotEmpty();
    stopped.stopAlone();
    await().until(() -> sessions().isEmpty());
    stopped.vanish();
  }

  private List<String> sessions() throws Exception {
    return lab.query(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'sluice " + name + "'");
  }

  @Test
  void whileTheTargetIsSlowTheConsumerIsPausedAndThenContinues() throws Exception {
    Map<String, String> properties = lab.properties(name);
    properties.put("batch.apply.memory.limit", "1");
    String wide = "x".repeat(10_000);
    for (int id = 1; id <= 400; id++) {
      script.transaction(10 * id, insert(id, wide));
    }
    lab.publish(name, script);
    try (Connection other = lab.connect();
        Statement lock = other.createStatement()) {
      other.setAutoCommit(false);
      lock.execute("LOCK TABLE shop.items IN ACCESS EXCLUSIVE MODE");
      worker = lab.worker(properties).start();
      await().until(() -> turned() != null && worker.isPaused());
      worker.commit();
      assertThat(worker.committed()).as("nothing is durable yet").isLessThan(2);
      other.rollback();
    }
    await().until(() -> turned().query("SELECT count(*) FROM shop.items").contains("400"));
    await().until(() -> turned() != null && !worker.isPaused());
  }

  @Test
  void aTargetThatHasGoneBackIsReadForAgain() throws Exception {
    script.transaction(10, insert(1, "a"));
    script.transaction(20, insert(2, "b"));
    lab.publish(name, script);
    worker = lab.worker(lab.properties(name)).start();
    await().until(() -> turned().items().size() == 2);
    lab.run(
        "BEGIN; DELETE FROM shop.items WHERE id = 2; UPDATE "
            + CONTROL
            + ".checkpoint SET position = '0/A', journal_transaction = 1, next_offset = 2; COMMIT");
    script.transaction(30, insert(3, "c"));
    lab.publish(name, script);
    await().until(() -> turned().items().equals(List.of("1=a", "2=b", "3=c")));
  }

  @Test
  void theFiguresOfWindowsAndRetriesGoOnWhenAPipelineFollowsAnother() throws Exception {
    script.transaction(10, insert(1, "a"));
    lab.publish(name, script);
    worker = lab.worker(lab.properties(name)).start();
    await().until(() -> turned() != null && worker.metric(ROWS).equals(1.0));
    double windows = (Double) worker.metric(WINDOWS);
    assertThat(windows).isPositive();
    assertThat(overReasons("sluice_window_rows_sum")).isEqualTo(1);
    assertThat(overReasons("sluice_window_seconds_count")).isEqualTo(windows);
    assertThat(worker.metric("sluice_commit_to_visible_seconds_count")).isEqualTo(1.0);
    assertThat((Double) worker.metric("sluice_commit_to_visible_seconds_max"))
        .isGreaterThanOrEqualTo((Double) worker.metric("sluice_commit_to_visible_seconds_p50"));
    assertThat(worker.metric("sluice_retries_total", "work", "task")).isZero();
    assertThat(worker.metric("sluice_stage_seconds_total", "stage", "commit")).isPositive();

    lab.run(
        "UPDATE "
            + CONTROL
            + ".checkpoint SET position = '0/1', journal_transaction = 0, next_offset = 1");
    lab.run("TRUNCATE shop.items");
    script.transaction(20, insert(2, "b"));
    lab.publish(name, script);
    await().until(() -> turned().items().equals(List.of("1=a", "2=b")));
    // The first transaction was applied by both pipelines.
    await().until(() -> turned() != null && worker.metric(ROWS).equals(3.0));
    assertThat(overReasons("sluice_window_rows_sum")).isEqualTo(3);
    assertThat((Double) worker.metric(WINDOWS)).isGreaterThan(windows);
    assertThat(overReasons("sluice_window_seconds_count")).isEqualTo(worker.metric(WINDOWS));
    assertThat(worker.metric("sluice_retries_total", "work", "task")).isPositive();
    assertThat(worker.metric("sluice_pipeline_running")).isEqualTo(1.0);
  }

  private double overReasons(String metric) {
    return Stream.of(CloseReason.values())
        .mapToDouble(reason -> worker.metric(metric, "reason", reason))
        .sum();
  }

  @Test
  void recordsThatWereDeletedBeforeTheyWereAppliedFailTheTask() throws Exception {
    script.transaction(10, insert(1, "a"));
    lab.publish(name, script);
    worker = lab.worker(lab.properties(name)).start();
    await().until(() -> turned().items().size() == 1);
    worker.close();
    worker = null;
    script.transaction(20, insert(2, "b"));
    script.transaction(30, insert(3, "c"));
    lab.publish(name, script);
    lab.deleteBefore(journal(name), 3);
    TestWorker late = lab.worker(lab.properties(name));
    assertThatThrownBy(late::start)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("begins at offset 3")
        .hasMessageContaining("goes on from 2");
    late.vanish();
  }

  @Test
  void aJournalWithoutItsBeginningIsNoneToStartWith() throws Exception {
    script.transaction(10, insert(1, "a"));
    script.transaction(20, insert(2, "b"));
    lab.publish(name, script);
    lab.deleteBefore(journal(name), 2);
    TestWorker late = lab.worker(lab.properties(name));
    assertThatThrownBy(late::start)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("in the midst of term 1");
    late.vanish();
  }

  @Test
  void aValueThatIsNoJournalRecordIsNamed() throws Exception {
    lab.send(journal(name), null, "{}".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    TestWorker wrong = lab.worker(lab.properties(name));
    assertThatThrownBy(
            () -> {
              wrong.start();
              wrong.turnUntilItFails();
            })
        .isInstanceOf(RuntimeException.class)
        .hasMessageContaining("journal record of format 123");
    wrong.vanish();
  }

  @Test
  void aRowThatTheTargetRejectsIsFoundInTheJournalAndNamed() throws Exception {
    script.transaction(10, insert(1, "a"), insert(2, "b"));
    lab.publish(name, script);
    lab.run("INSERT INTO shop.items VALUES (2, 'foreign')");
    Map<String, String> properties = lab.properties(name);
    properties.put("apply.error.insert.policy", "LOG_ERROR");
    worker = lab.worker(properties).start();
    await().until(() -> turned().items().equals(List.of("1=a", "2=foreign")));
    assertThat(lab.query("SELECT row_data::text FROM " + CONTROL + ".sluice_apply_exceptions"))
        .singleElement()
        .asString()
        .contains("2");
  }

  @Test
  void offsetsThatAUserAltersMoveTheTargetsCheckpoint() throws Exception {
    script.transaction(10, insert(1, "a"));
    script.transaction(20, insert(2, "b"));
    script.transaction(30, insert(3, "c"));
    lab.publish(name, script);
    Map<String, String> properties = lab.properties(name);
    worker = lab.worker(properties).start();
    await().until(() -> turned().items().size() == 3);
    worker.close();
    lab.run("DELETE FROM shop.items WHERE id > 1");
    alter(2L);
    alter(2L);
    worker = lab.worker(properties).start();
    await().until(() -> turned().items().equals(List.of("1=a", "2=b", "3=c")));
    worker.close();
    lab.run("TRUNCATE shop.items");
    alter(null);
    worker = lab.worker(properties).start();
    await().until(() -> turned().items().equals(List.of("1=a", "2=b", "3=c")));
    assertThatThrownBy(() -> alter(9L))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("one from 0 to 4");
  }

  private void alter(Long offset) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    offsets.put(new TopicPartition(journal(name), 0), offset);
    assertThat(new SluiceSinkConnector().alterOffsets(lab.properties(name), offsets)).isTrue();
  }

  /** The lab, after one more turn of the worker. */
  private ConnectLab turned() {
    worker.turn();
    return lab;
  }
}
