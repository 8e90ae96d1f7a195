package dev.sluice.connector.generic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.database.PostgresSlot;
import dev.sluice.connector.generic.database.SlotClaim;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tasks whose files name the same slot. */
class SlotClaimTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final PostgresDatabase database = new PostgresDatabase();
  private final String slot = database.properties().get("slot.name");
  private final List<SourceOfTask> tasks = new ArrayList<>();

  @AfterEach
  void release() {
    tasks.forEach(task -> task.source.releaseClaim());
  }

  @Test
  void ofTwoTasksThatStartAtOnceTheSecondIsRefusedByName() throws Exception {
    List<SourceOfTask> both = List.of(task("one"), task("two"));
    CyclicBarrier start = new CyclicBarrier(2);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Future<SluiceException>> outcomes = new ArrayList<>();
      for (SourceOfTask task : both) {
        outcomes.add(threads.submit(() -> failureOf(start, task.source.retention())));
      }
      int loser = outcomes.get(0).get() == null ? 1 : 0;
      assertThat(outcomes.get(1 - loser).get()).isNull();
      assertThat(outcomes.get(loser).get())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("replication slot " + slot)
          .hasMessageContaining(both.get(1 - loser).mark.sessionName());
      // Neither slot exists yet; the check refuses it all the same.
      FoundRetention found = both.get(loser).source.retention().found().orElseThrow();
      assertThat(found.isForeignTo(both.get(loser).mark)).isTrue();
      assertThat(found.leftAlone().toString())
          .contains("replication slot " + slot, both.get(1 - loser).mark.sessionName());
      assertThat(both.get(1 - loser).source.retention().found()).isEmpty();
    } finally {
      threads.shutdownNow();
    }
  }

  private static SluiceException failureOf(CyclicBarrier start, LogRetention retention)
      throws Exception {
    start.await();
    try {
      retention.create(PATIENCE).close();
      return null;
    } catch (SluiceException e) {
      assertThat(retention.isAnothers(e)).isTrue();
      return e;
    }
  }

  @Test
  void aSlotThatIsThereIsNeverTakenForANewOne() throws SQLException {
    makeSlot();
    LogRetention retention = task("later").source.retention();
    assertThatThrownBy(() -> retention.create(PATIENCE))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("replication slot " + slot);
    assertThat(slotExists()).isTrue();
  }

  @Test
  void aSlotThatAnotherTaskHasClaimedIsNeverDropped() throws SQLException {
    task("owner").source.retention().create(PATIENCE).close();
    makeSlot();
    SourceOfTask copy = task("copy");
    assertThatThrownBy(() -> copy.source.retention().drop())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("another task or daemon has claimed it");
    assertThat(slotExists()).isTrue();
  }

  @Test
  void aSlotOfAnotherDatabaseIsNeverDropped() throws SQLException {
    makeSlot();
    Map<String, String> elsewhere = new HashMap<>(new PostgresDatabase().properties());
    elsewhere.put("slot.name", slot);
    SourceOfTask other = SourceOfTask.of("elsewhere", database, elsewhere);
    tasks.add(other);
    assertThat(other.source.retention().drop()).isFalse();
    assertThat(slotExists()).isTrue();
    assertThat(other.source.retention().found().orElseThrow().isForeignTo(other.mark)).isTrue();
  }

  @Test
  void theClaimOfAnEarlierDaemonOfTheTaskIsEnded() {
    SourceOfTask frozen = task("same");
    frozen.source.retention().create(PATIENCE).close();
    SourceOfTask later = frozen.again(database);
    tasks.add(later);
    LogRetention retention = later.source.retention();
    assertThatThrownBy(() -> retention.create(PATIENCE))
        .isInstanceOf(SluiceException.Retryable.class)
        .hasMessageContaining("earlier daemon of this task")
        .hasMessageContaining("session '%s'".formatted(frozen.mark.sessionName()))
        .hasMessageFindingMatch(
            "SELECT pg_terminate_backend\\(pid\\) FROM pg_stat_activity WHERE pid = [0-9]+ AND"
                + " application_name = '%s'".formatted(Pattern.quote(frozen.mark.sessionName())));
    retention.release();
    retention.create(PATIENCE).close();
    retention.release();
    assertThat(later.source.retention().found()).as("its own claim stays").isEmpty();
  }

  /** The earlier daemon has not yet noticed: it was frozen behind its last look at the journal. */
  @Test
  void aDaemonWhoseClaimALaterOneHasEndedNeverDropsTheSlot() throws SQLException {
    JdbcServer server = SourceOfTask.server(database);
    TaskMark mark = TaskMark.ofName("frozen" + slot);
    SlotClaim frozen = new SlotClaim(server, slot, () -> mark);
    frozen.take();
    SlotClaim later = new SlotClaim(server, slot, () -> mark);
    later.endEarlier();
    later.take();
    try {
      makeSlot();
      assertThatThrownBy(() -> new PostgresSlot(server, slot).drop(frozen))
          .isInstanceOf(SluiceException.Retryable.class);
      assertThat(slotExists()).isTrue();
      assertThat(new PostgresSlot(server, slot).drop(later)).isTrue();
    } finally {
      later.release();
    }
  }

  /** The later daemon's capture has ended for a moment, and its claim with it. */
  @Test
  void aDaemonThatALaterOneHasFencedNeverDropsASlotThatIsNotClaimed() throws SQLException {
    SourceOfTask frozen = task("frozen");
    SourceOfTask later = frozen.again(database);
    makeSlot();
    LogRetention retention = frozen.source.retention();
    assertThatThrownBy(
            () ->
                retention.drop(
                    () -> {
                      assertThatThrownBy(() -> later.source.retention().drop())
                          .as("the fence is asked under the claim")
                          .hasMessageContaining("earlier daemon of this task");
                      throw new SluiceException.Fenced("task was claimed by another daemon");
                    }))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(slotExists()).isTrue();
    assertThat(later.source.retention().drop()).as("the claim was given up").isTrue();
  }

  /** It takes over between the earlier daemon's look at the epoch and the drop. */
  @Test
  void aDaemonWhoseClaimIsEndedAfterTheFenceDoesNotDropTheSlot() throws SQLException {
    SourceOfTask frozen = task("frozen");
    SourceOfTask later = frozen.again(database);
    makeSlot();
    assertThatThrownBy(
            () -> frozen.source.retention().drop(() -> later.source.retention().release()))
        .isInstanceOf(SluiceException.Retryable.class);
    assertThat(slotExists()).isTrue();
  }

  private SourceOfTask task(String name) {
    SourceOfTask task = SourceOfTask.of(name + slot, database, new Position(1, 0));
    tasks.add(task);
    return task;
  }

  private void makeSlot() throws SQLException {
    try (Connection session = database.connect();
        Statement statement = session.createStatement()) {
      statement.execute(
          "SELECT pg_create_logical_replication_slot('%s', 'pgoutput')".formatted(slot));
    }
  }

  private boolean slotExists() throws SQLException {
    try (Connection session = database.connect()) {
      return JdbcServer.rows(session, "SELECT slot_name FROM pg_replication_slots").stream()
          .anyMatch(row -> row[0].equals(slot));
    }
  }
}
