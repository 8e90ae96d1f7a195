package dev.sluice.sink;

import static dev.sluice.sink.JournalScript.delete;
import static dev.sluice.sink.JournalScript.fence;
import static dev.sluice.sink.JournalScript.insert;
import static dev.sluice.sink.JournalScript.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.BatchApplyOverride;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.LeastWindowTime;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.lane.LaneRendezvous;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.progress.SinkState;
import dev.sluice.sink.progress.WindowCost;
import dev.sluice.sink.sorter.SpillCounts;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.policy.CloseReason;
import dev.sluice.sink.window.policy.WindowPlan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SinkPipelineTest {
  private static final Duration LONG = Duration.ofHours(1);

  @TempDir Path directory;

  private final RecordingApplier applier = new RecordingApplier();
  private final JournalScript journal = new JournalScript().term(1, 0);
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final SmallDisk disk = new SmallDisk();
  private volatile SinkSettings wanted;
  private static final Definition DDL =
      new Definition(new DefinitionChanges("ALTER TABLE", true, Map.of(), List.of(), List.of()));

  private volatile LaneBound bound = LaneBound.NONE;
  private Lane lane = Lane.WHOLE.boundedBy(this::bound);
  private volatile Error broken;
  private SinkPipeline pipeline;

  @AfterEach
  void close() {
    applier.letAll();
    if (pipeline != null) {
      pipeline.close();
    }
  }

  @Test
  void aCommittedTransactionIsAppliedOnceTheMinimumHasPassed() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"), insert(2, "b"));
    PollDirective demand = give(true);
    assertThat(demand).isEqualTo(new PollDirective(false, Duration.ofSeconds(1)));
    assertThat(applier.windows()).isEmpty();
    later(Duration.ofSeconds(1));
    give(true);
    awaitWindows(1);
    assertThat(applier.items()).hasToString("{1=a, 2=b}");
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.CAUGHT_UP);
  }

  @Test
  void aChangeAfterAQuietTimeIsAppliedAtOnceAndTheNextOneWaitsForTheMinimum() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    give(true);
    later(Duration.ofSeconds(1));
    give(true);
    awaitWindows(1);
    later(Duration.ofSeconds(3));
    journal.transaction(20);
    give(true);
    awaitWindows(2);
    assertThat(applier.items()).as("a window of progress only").hasSize(1);
    journal.transaction(30, insert(2, "b"));
    give(true);
    awaitWindows(3);
    assertThat(applier.items()).hasToString("{1=a, 2=b}");
    later(Duration.ofMillis(400));
    journal.transaction(40, insert(3, "c"));
    assertThat(give(true)).isEqualTo(new PollDirective(false, Duration.ofMillis(600)));
    assertThat(applier.windows()).hasSize(3);
    later(Duration.ofMillis(600));
    give(true);
    awaitWindows(4);
    assertThat(applier.items()).hasSize(3);
  }

  @Test
  void whatEachWindowHasCostIsReported() {
    start(new Settings());
    List<WindowCost> reported = new CopyOnWriteArrayList<>();
    pipeline.reportTo(reported::add);
    applier.failNext(new SluiceException.Retryable("the target is away", null));
    journal.transaction(10, insert(1, "a"), insert(2, "b"));
    give(true);
    later(Duration.ofSeconds(3));
    give(true);
    await().untilAsserted(() -> assertThat(reported).hasSize(1));
    WindowCost cost = reported.get(0);
    assertThat(cost.lane()).isEqualTo(LaneId.MAIN);
    assertThat(cost.window().reason()).isEqualTo(CloseReason.CAUGHT_UP);
    assertThat(cost.window().changes()).isEqualTo(2);
    assertThat(cost.window().netChanges()).isEqualTo(2);
    assertThat(cost.filling()).isEqualTo(Duration.ofSeconds(3));
    assertThat(cost.stages()).containsExactly(Map.entry(ApplyStage.COMMIT, Duration.ofMillis(7)));
    assertThat(cost.bytes()).isPositive();
    assertThat(cost.retries()).isEqualTo(1);

    journal.transaction(20, insert(3, "c"));
    give(true);
    later(Duration.ofSeconds(1));
    give(true);
    await().untilAsserted(() -> assertThat(reported).hasSize(2));
    assertThat(reported.get(1).window().changes()).isEqualTo(1);
    assertThat(reported.get(1).retries()).isZero();
    assertThat(reported.get(1).stages())
        .containsExactly(Map.entry(ApplyStage.COMMIT, Duration.ofMillis(7)));
  }

  @Test
  void aLaneStopsAtItsBoundAndAppliesWhatItHasAtOnce() {
    bound = LaneBound.upTo(new Position(20));
    start(new Settings().timeoutMin(Duration.ZERO));
    journal.transaction(10, insert(1, "a"));
    journal.transaction(20, insert(2, "b"));
    journal.transaction(30, insert(3, "c"));
    assertThat(give(false).pause()).isTrue();
    awaitWindows(1);
    assertThat(applier.items()).hasToString("{1=a, 2=b}");
    assertThat(give(false).isAtEnd()).isFalse();
    bound = LaneBound.upTo(new Position(30));
    give(true);
    awaitWindows(2);
    assertThat(applier.items()).hasToString("{1=a, 2=b, 3=c}");
  }

  @Test
  void whereDefinitionsAreChangedBeforeTheirWindowItHasNoOtherTransaction() {
    lane =
        new Lane(
            LaneId.MAIN,
            TableFilter.ALL,
            this::bound,
            Optional.of(new LaneRendezvous(Set.of())),
            ChangeObserver.Factory.NONE);
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    journal.transaction(20, insert(2, "a"), DDL, insert(3, "a"));
    journal.transaction(30, insert(4, "a"));
    await()
        .until(
            () -> {
              give(false);
              return applier.windows().size() == 2;
            });
    pipeline.drainAndStop();
    assertThat(applier.windows())
        .extracting(window -> window.position().low(), ClosedWindow::reason)
        .containsExactly(
            tuple(10L, CloseReason.BARRIER),
            tuple(20L, CloseReason.BARRIER),
            tuple(30L, CloseReason.BARRIER));
    assertThat(applier.windows()).extracting(ClosedWindow::changes).containsExactly(1L, 2L, 1L);
  }

  @Test
  void aLaneEndsAtItsFinalBoundAndReportsItsPosition() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    journal.transaction(20);
    journal.transaction(30, insert(3, "c"));
    bound = LaneBound.upTo(new Position(15));
    assertThat(give(true).isAtEnd()).isFalse();
    bound = LaneBound.endingAt(new Position(20));
    assertThat(give(true).isAtEnd()).isTrue();
    JournalOffset place = pipeline.drainAndStop();
    assertThat(place).isEqualTo(new JournalOffset(new Position(20), 1, 2, 3));
    assertThat(applier.items()).hasToString("{1=a}");
  }

  @Test
  void aLaneAtItsFinalBoundEndsWithoutReading() {
    bound = LaneBound.endingAt(Position.ZERO);
    start(new Settings());
    assertThat(give(false).isAtEnd()).isTrue();
    assertThat(pipeline.drainAndStop()).isEqualTo(JournalOffset.beginning(Position.ZERO));
  }

  @Test
  void ofABacklogWhatTheSourceCommittedInTheMinimumIsAppliedAtOnce() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    journal.transaction(1_009, insert(2, "b"));
    give(true);
    assertThat(pipeline.progress().intake().backlogChanges()).isEqualTo(2);
    journal.transaction(1_010, insert(3, "c"));
    give(true);
    awaitWindows(1);
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.CAUGHT_UP);
    assertThat(applier.items()).hasSize(3);
  }

  @Test
  void withAutoTheTimesOfWindowsFollowWhatIsMeasured() {
    start(new Settings().auto());
    assertThat(pipeline.progress().plan()).isEmpty();
    for (int i = 1; i <= 8; i++) {
      journal.transaction(2_000L * i, insert(i, "a"));
      give(true);
      assertThat(pipeline.progress().plan().orElseThrow().times().least())
          .isLessThanOrEqualTo(Duration.ofSeconds(1));
      later(Duration.ofSeconds(2));
      give(true);
      awaitWindows(i);
    }
    give(true);
    WindowPlan plan = pipeline.progress().plan().orElseThrow();
    assertThat(plan.reason()).isNotEqualTo(WindowPlan.Reason.START);
    assertThat(plan.load().changesPerSecond()).isBetween(0.2, 1.0);
    change(new Settings());
    give(true);
    assertThat(pipeline.progress().plan()).as("a fixed time").isEmpty();
  }

  @Test
  void withAutoATablesOwnLeastTimeHolds() {
    start(new Settings().auto().items(Tunings.times(Duration.ofSeconds(10), null)));
    journal.transaction(10, insert(1, "a"));
    give(true);
    later(Duration.ofSeconds(2));
    assertThat(give(true).pause()).isFalse();
    later(Duration.ofMillis(7_990));
    give(true);
    assertThat(pipeline.progress().intake().backlogChanges()).isEqualTo(1);
    assertThat(applier.windows()).isEmpty();
    later(Duration.ofMillis(10));
    give(true);
    awaitWindows(1);
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.CAUGHT_UP);
  }

  @Test
  void withAutoTheWaitThatATableAsksForIsNoLag() {
    start(new Settings().auto().items(Tunings.times(Duration.ofSeconds(10), null)));
    committed(0, Duration.ZERO, insert(1, "a"));
    for (int i = 1; i <= 6; i++) {
      updateCommitted(2 * i, Duration.ZERO);
      give(true);
      later(Duration.ofMillis(9_900));
      if (i % 2 == 1) {
        updateCommitted(2 * i + 1, Duration.ZERO);
      }
      give(true);
      later(Duration.ofMillis(100));
      give(true);
      awaitWindows(i);
      give(true);
    }
    assertThat(pipeline.progress().plan().orElseThrow().load().lag()).isZero();
  }

  @Test
  void withAutoTransactionsWithoutChangesAreNotCounted() {
    start(new Settings().auto());
    committed(0, Duration.ZERO, insert(1, "a"));
    for (int i = 1; i <= 6; i++) {
      updateCommitted(100 * i, Duration.ZERO);
      for (int j = 1; j < 100; j++) {
        committed(100 * i + j, Duration.ZERO);
      }
      give(true);
      later(Duration.ofSeconds(6));
      give(true);
      awaitWindows(i);
      give(true);
    }
    assertThat(pipeline.progress().plan().orElseThrow().load().transactionsPerSecond())
        .isBetween(0.1, 1.0);
  }

  @Test
  void withAutoAndBehindNoWindowWaitsLongForNetChangesThatHotRowsNeverHave() {
    start(new Settings().auto());
    committed(0, Duration.ZERO, insert(1, "a"));
    for (int i = 1; i <= 8; i++) {
      updateCommitted(i, Duration.ZERO);
      give(true);
      later(Duration.ofSeconds(6));
      give(true);
      awaitWindows(i);
      give(true);
    }
    updateCommitted(9, Duration.ofSeconds(8));
    give(true);
    later(Duration.ofSeconds(6));
    give(true);
    awaitWindows(9);
    give(true);
    WindowPlan behind = pipeline.progress().plan().orElseThrow();
    assertThat(behind.reason()).isEqualTo(WindowPlan.Reason.BEHIND);
    Instant opened = now;
    long longest = behind.times().least().toMillis() * 3 / 2 + 100;
    for (int i = 10; pipeline.progress().plan().orElseThrow() == behind; i++) {
      assertThat(Duration.between(opened, now).toMillis()).isLessThanOrEqualTo(longest);
      updateCommitted(i, Duration.ofSeconds(8));
      give(false);
      later(Duration.ofMillis(100));
    }
    awaitWindows(10);
    assertThat(applier.windows().get(9).reason()).isEqualTo(CloseReason.MAX_TIME);
  }

  @Test
  void withoutAutoNothingIsPlanned() {
    start(new Settings().timeoutMin(Duration.ZERO));
    journal.transaction(10, insert(1, "a"));
    give(true);
    awaitWindows(1);
    assertThat(pipeline.progress().plan()).isEmpty();
  }

  @Test
  void aHoleInTheJournalIsAFailureOnceEverythingIsReadAndNoNewerTermFillsIt() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    journal.transaction(20, insert(2, "b"));
    journal.transaction(30, insert(3, "c"));
    List<JournalEntry> all = journal.next();
    List<JournalEntry> holed = List.of(all.get(0), all.get(1), all.get(3));
    assertThat(pipeline.accept(holed, false, now).pause()).isFalse();
    assertThatThrownBy(() -> pipeline.accept(List.of(), true, now))
        .isInstanceOf(SluiceException.Retryable.class)
        .hasMessageContaining("term 1 has a hole before journal offset 3")
        .hasMessageContaining("nothing of it after 0/A can be applied");
    assertThat(pipeline.failure()).isPresent();
  }

  @Test
  void aHoleThatANewerTermFillsIsNoError() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    journal.transaction(20, insert(2, "b"));
    journal.transaction(30, insert(3, "c"));
    journal.term(2, 10).transaction(20, insert(2, "b"));
    List<JournalEntry> all = journal.next();
    List<JournalEntry> holed = new ArrayList<>(all);
    holed.remove(2);
    pipeline.accept(holed, true, now);
    later(Duration.ofSeconds(1));
    pipeline.accept(List.of(), true, now);
    awaitWindows(1);
    assertThat(applier.items()).hasToString("{1=a, 2=b}");
  }

  @Test
  void aFenceClosesItsWindowAndIsReportedOnlyWhenDurable() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    journal.transaction(20, fence("0/A"));
    journal.transaction(30, insert(2, "b"));
    give(true);
    await().until(() -> pipeline.progress().hasPassed(new Position(10)));
    assertThat(applier.durable()).isEqualTo(1);
    assertThat(applier.windows()).hasSize(1);
    assertThat(applier.windows().get(0).position()).isEqualTo(new Position(20));
    assertThat(applier.windows().get(0).captured().get().fences()).containsExactly("0/A");
    assertThat(pipeline.progress().apply().durable().position()).isEqualTo(new Position(20));
  }

  @Test
  void aHeldLaneBeginsNoWindowBehindTheOneThatReachesThePositionUntilItIsReleased() {
    start(new Settings().timeoutMin(Duration.ZERO).durableInterval(Duration.ofMillis(500)));
    pipeline.hold(new Position(15), LONG);
    journal.transaction(10, insert(1, "a"));
    give(true);
    awaitWindows(1);
    journal.transaction(20, insert(2, "b"));
    give(true);
    awaitWindows(2);
    journal.transaction(30, insert(3, "c"));
    give(true);
    // The apply thread has looked for a window after the third one was submitted.
    await().until(() -> pipeline.progress().apply().durable().position().equals(new Position(20)));
    assertThat(applier.items()).hasToString("{1=a, 2=b}");
    pipeline.release();
    awaitWindows(3);
    assertThat(applier.items()).hasToString("{1=a, 2=b, 3=c}");
  }

  @Test
  void aHoldEndsByItself() {
    start(new Settings().timeoutMin(Duration.ZERO));
    pipeline.hold(Position.ZERO, Duration.ofMillis(1));
    journal.transaction(10, insert(1, "a"));
    give(true);
    awaitWindows(1);
  }

  @Test
  void aStopDoesNotWaitForAHold() {
    start(new Settings().timeoutMin(Duration.ZERO));
    pipeline.hold(Position.ZERO, LONG);
    journal.transaction(10, insert(1, "a"));
    give(true);
    assertThat(pipeline.drainAndStop().position()).isEqualTo(new Position(10));
    assertThat(applier.items()).hasToString("{1=a}");
  }

  @Test
  void whileOneWindowIsAppliedTheNextGrowsToItsMemoryLimitAndThenTheConsumerIsPaused() {
    applier.block();
    start(new Settings().windowMemory(20_000).timeoutMin(Duration.ZERO));
    journal.transaction(1, insert(1, "a"));
    give(true);
    for (int position = 2; position < 500; position++) {
      journal.transaction(position, insert(position, "a"));
    }
    assertThat(give(false).pause()).isTrue();
    long kept = pipeline.progress().intake().memory().bytes();
    assertThat(kept).isBetween(10_000L, 22_000L);
    applier.letAll();
    await().until(() -> !give(true).pause());
    giveUntilWindowsReach(500);
    assertThat(applier.windows().get(1).reason()).isEqualTo(CloseReason.MEMORY);
    assertThat(applier.items()).hasSize(499);
  }

  @Test
  void aTransactionLargerThanAWindowIsAppliedInSeveralRoundsOfOneWindow() {
    start(new Settings().windowMemory(20_000).openMemory(4_000).timeoutMin(Duration.ZERO));
    journal.transaction(5, insert(10_000, "before"));
    journal.transaction(
        10,
        LongStream.rangeClosed(1, 1000)
            .mapToObj(id -> insert(id, "row " + id))
            .toArray(ChangeEvent[]::new));
    journal.transaction(20, update(10_000, "after"));
    give(true);
    giveUntilWindowsReach(1001);
    assertThat(applier.items()).hasSize(1001).containsEntry("10000", "after");
    ClosedWindow large = windowOf(10);
    assertThat(large.transactions()).isEqualTo(1);
    assertThat(applier.rounds()).isGreaterThan(10);
    assertThat(pipeline.progress().intake().transactionsSpilled().total()).isEqualTo(1);
    await()
        .untilAsserted(
            () -> {
              give(true);
              assertThat(pipeline.progress().intake().swapFiles()).isZero();
            });
    assertThat(pipeline.progress().apply().changes()).isEqualTo(1002);
  }

  @Test
  void aTransactionThatComesOutOfSwapJoinsAWindowItFitsInto() {
    start(new Settings().openMemory(4_000));
    journal.transaction(5, insert(10_000, "before"));
    journal.transaction(
        10,
        LongStream.rangeClosed(1, 1000)
            .mapToObj(id -> insert(id, "row " + id))
            .toArray(ChangeEvent[]::new));
    give(true);
    assertThat(pipeline.progress().intake().transactionsSpilled().total()).isEqualTo(1);
    assertThat(pipeline.progress().intake().swapFiles()).isZero();
    pipeline.drainAndStop();
    assertThat(applier.windows()).hasSize(1);
    assertThat(applier.windows().get(0).transactions()).isEqualTo(2);
    assertThat(applier.items()).hasSize(1001);
  }

  @Test
  void aChangeWithoutAllItsValuesStopsThePipelineAndNothingOfTheWindowIsApplied() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    RowChange cut =
        new RowChange(
            JournalScript.ITEMS, null, new RowBuilder(16).add("2").addUnchanged().build());
    journal.transaction(20, insert(3, "b"), cut);
    assertThatThrownBy(() -> give(true)).isInstanceOf(SluiceException.Fatal.class);
    assertThatThrownBy(() -> give(true)).isInstanceOf(SluiceException.Fatal.class);
    assertThatThrownBy(pipeline::drainAndStop).isInstanceOf(SluiceException.Fatal.class);
    pipeline.close();
    assertThat(applier.windows()).isEmpty();
    assertThat(applier.isClosed()).isTrue();
  }

  @Test
  void aFenceInATransactionLargerThanAWindowIsNotMissed() {
    start(new Settings().windowMemory(2_000).timeoutMin(Duration.ZERO));
    List<ChangeEvent> changes = new ArrayList<>();
    LongStream.rangeClosed(1, 100).forEach(id -> changes.add(insert(id, "a")));
    changes.add(fence("0/B"));
    journal.transaction(10, changes.toArray(new ChangeEvent[0]));
    give(true);
    await().until(() -> pipeline.progress().hasPassed(new Position(11)));
    assertThat(applier.items()).hasSize(100);
  }

  @Test
  void anOpenTransactionTooLargeForTheSwapContinuesWhenTheLimitIsRaised() {
    start(new Settings().openMemory(2_000).swap(12_000));
    journal.transaction(5, insert(10_000, "before"));
    journal.transaction(10, many(1, 2_000));
    PollDirective demand = give(false);
    assertThat(demand.pause()).isTrue();
    assertThat(pipeline.progress().state()).isEqualTo(SinkState.SWAP_FULL);
    assertThat(pipeline.progress().detail())
        .contains("SwapLimit is 11.7 KiB")
        .contains("Raise the limit to continue: nothing else is in swap")
        .contains("sluice tune TASK.yaml SwapLimit=");
    later(Duration.ofSeconds(2));
    assertThat(give(false).pause()).isTrue();
    change(new Settings().openMemory(2_000).swap(10_000_000));
    give(false);
    assertThat(pipeline.progress().state()).isEqualTo(SinkState.RUNNING);
    pipeline.drainAndStop();
    assertThat(applier.items()).hasSize(2_001);
  }

  @Test
  void anOpenTransactionContinuesWhenTheTransactionThatFillsTheSwapIsApplied() {
    applier.block();
    start(new Settings().windowMemory(2_000).openMemory(2_000).swap(60_000));
    journal.transaction(10, many(1, 2_000));
    journal.transaction(20, many(2_001, 4_000));
    give(false);
    give(false);
    assertThat(pipeline.progress().state()).isEqualTo(SinkState.SWAP_FULL);
    assertThat(pipeline.progress().detail())
        .contains("belong to a transaction that is being applied, and are freed with it");
    applier.letAll();
    giveUntilWindowsReach(4_000);
    assertThat(pipeline.progress().state()).isEqualTo(SinkState.RUNNING);
    assertThat(applier.items()).hasSize(4_000);
  }

  @Test
  void onAFullDiskIntakeWaitsInAStateThatSaysSoAndLosesNothing() {
    disk.room(12_000);
    start(new Settings().openMemory(2_000));
    journal.transaction(10, many(1, 2_000));
    assertThat(give(false).pause()).isTrue();
    assertThat(pipeline.progress().state()).isEqualTo(SinkState.SWAP_FULL);
    assertThat(pipeline.progress().detail())
        .contains("the disk of " + directory.resolve("swap") + " is full, 11.7 KiB are free")
        .contains("Sluice.SwapDirectory");
    assertThat(give(false)).isEqualTo(new PollDirective(true, Duration.ofMillis(500)));
    disk.room(10_000_000);
    give(false);
    assertThat(pipeline.progress().state()).isEqualTo(SinkState.RUNNING);
    pipeline.drainAndStop();
    assertThat(applier.items()).hasSize(2_000);
  }

  @Test
  void aBusyJournalsWindowIsClosedAfterTheMaximum() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    give(false);
    later(Duration.ofSeconds(30).minusNanos(1));
    give(false);
    assertThat(pipeline.progress().intake().backlogChanges()).isEqualTo(1);
    later(Duration.ofNanos(1));
    give(false);
    awaitWindows(1);
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.MAX_TIME);
  }

  @Test
  void enoughNetChangesCloseTheWindowOfAnIdleApplierAfterTheMinimum() {
    start(new Settings().readyThreshold(2));
    journal.transaction(10, insert(1, "a"), update(1, "b"));
    give(false);
    later(Duration.ofSeconds(1));
    give(false);
    assertThat(pipeline.progress().intake().backlogChanges()).as("one net change").isEqualTo(2);
    journal.transaction(20, insert(2, "a"));
    give(false);
    awaitWindows(1);
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.READY);
  }

  @Test
  void otherSettingsCloseTheOpenWindowAndHoldForTheNext() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    give(false);
    change(new Settings().timeoutMin(Duration.ZERO).transactional(1, Duration.ofSeconds(9)));
    give(false);
    awaitWindows(1);
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.BARRIER);
    assertThat(applier.windows().get(0).tuning().compact()).isTrue();
    journal.transaction(20, insert(2, "a"), update(2, "b"));
    giveUntilWindowsReach(2);
    awaitWindows(2);
    assertThat(applier.windows().get(1).reason()).isEqualTo(CloseReason.READY);
    assertThat(applier.windows().get(1).tuning().compact()).isFalse();
    assertThat(pipeline.progress().apply().netChanges()).isEqualTo(3);
  }

  @Test
  void aWindowWithNothingInItTakesOtherSettingsAtOnce() {
    start(new Settings());
    give(true);
    change(new Settings().timeoutMin(Duration.ZERO));
    journal.transaction(10, insert(1, "a"));
    give(true);
    awaitWindows(1);
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.CAUGHT_UP);
  }

  @Test
  void aWindowObeysTheShorterTimesOfATableThatIsInIt() {
    start(new Settings().items(Tunings.times(null, Duration.ofSeconds(2))));
    journal.transaction(10, insert(1, "a"));
    give(false);
    later(Duration.ofSeconds(2));
    give(false);
    awaitWindows(1);
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.MAX_TIME);
  }

  @Test
  void aWindowIsFullWhenTheShareOfATableIsReached() {
    start(new Settings().items(Tunings.memory(5_000)));
    for (int position = 1; position <= 300; position++) {
      journal.transaction(position, insert(position, "a"));
    }
    give(false);
    awaitWindows(1);
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.MEMORY);
    assertThat(applier.windows().get(0).transactions()).isBetween(5L, 100L);
  }

  @Test
  void aTransactionLargerThanAWindowIsCutIntoRoundsByTheShareOfATable() {
    start(new Settings().windowMemory(100_000).items(Tunings.memory(5_000)));
    journal.transaction(10, many(1, 2_000));
    give(true);
    giveUntilWindowsReach(2_000);
    assertThat(applier.windows()).hasSize(1);
    assertThat(applier.rounds()).isGreaterThan(40);
  }

  @Test
  void theChangesOfATableThatIsNotToBeCompactedStayAsTheyCame() {
    start(new Settings().items(Tunings.oneByOne()));
    journal.transaction(10, insert(1, "a"), update(1, "b"), delete(1), insert(1, "c"));
    give(true);
    pipeline.drainAndStop();
    assertThat(pipeline.progress().apply().netChanges()).isEqualTo(4);
    assertThat(applier.items()).hasToString("{1=c}");
  }

  @Test
  void aDamagedSwapFileEndsThePipelineAtOnceAndTheNextOneReadsTheJournalAgain() throws Exception {
    Settings settings =
        new Settings().openMemory(2_000).windowMemory(2_000).timeoutMin(Duration.ZERO);
    start(settings);
    applier.block();
    journal.transaction(10, many(1, 500));
    List<JournalEntry> entries = journal.next();
    pipeline.accept(entries, true, now);
    Path swapped;
    try (Stream<Path> files = Files.walk(directory)) {
      swapped = files.filter(Files::isRegularFile).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(swapped);
    bytes[bytes.length / 2] ^= 4;
    Files.write(swapped, bytes);
    applier.letAll();
    await().until(() -> pipeline.failure().isPresent());
    assertThat(pipeline.failure().get())
        .isInstanceOf(SluiceException.LostCache.class)
        .hasMessageContaining(swapped.toString());
    pipeline.close();
    assertThat(applier.windows()).isEmpty();

    start(settings);
    pipeline.accept(entries, true, now);
    awaitWindows(1);
    assertThat(applier.items()).hasSize(500);
  }

  @Test
  void whatWentToSwapIsCountedByItsReason() {
    start(new Settings().openMemory(2_000));
    journal.transaction(10, many(1, 200));
    give(false);
    assertThat(pipeline.progress().intake().transactionsSpilled()).isEqualTo(new SpillCounts(1, 0));
  }

  @Test
  void aFailureOfTheEnvironmentIsTriedAgainAndNothingIsAppliedTwice() {
    start(new Settings().timeoutMin(Duration.ZERO));
    applier.failNext(new SluiceException.Retryable("connection lost", null));
    applier.failNext(new SluiceException.Retryable("connection lost", null));
    journal.transaction(10, insert(1, "a"));
    give(true);
    awaitWindows(1);
    assertThat(applier.items()).hasToString("{1=a}");
  }

  @Test
  void theTargetIsReachedForBeforeAWindowIsThereAndAFailureOfThatIsNone() {
    start(new Settings().timeoutMin(Duration.ZERO));
    await().until(applier::isPrepared);
    journal.transaction(10, insert(1, "a"));
    give(true);
    awaitWindows(1);
    assertThat(pipeline.failure()).isEmpty();
    assertThat(applier.items()).hasToString("{1=a}");
  }

  @Test
  void aFailureThatCannotBeTriedAgainIsThrownAtTheNextCall() {
    start(new Settings().timeoutMin(Duration.ZERO));
    applier.failNext(new SluiceException.Data("row 1 is there already", null));
    journal.transaction(10, insert(1, "a"));
    give(true);
    await().until(() -> pipeline.failure().isPresent());
    assertThatThrownBy(() -> give(true)).hasMessage("row 1 is there already");
    assertThat(pipeline.progress().state()).isEqualTo(SinkState.FAILED);
    await().until(applier::isClosed);
  }

  @Test
  void anErrorInTheIntakeIsTheFailureOfThePipeline() {
    start(new Settings());
    broken = new NoClassDefFoundError("dev/sluice/Gone");
    assertThatThrownBy(() -> give(true)).hasMessageContaining("NoClassDefFoundError");
    assertThat(pipeline.failure())
        .hasValueSatisfying(
            failure ->
                assertThat(failure)
                    .isInstanceOf(SluiceException.Fatal.class)
                    .hasMessageContaining("dev/sluice/Gone"));
  }

  @Test
  void anErrorWhileAWindowIsAppliedIsTheFailureAlsoWhereTheTargetCannotBeClosedThen() {
    start(new Settings().timeoutMin(Duration.ZERO));
    applier.breakWith(new NoClassDefFoundError("dev/sluice/Gone"));
    journal.transaction(10, insert(1, "a"));
    give(true);
    await().until(() -> pipeline.failure().isPresent());
    assertThat(pipeline.failure().get())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("dev/sluice/Gone");
    assertThat(pipeline.progress().state()).isEqualTo(SinkState.FAILED);
  }

  @Test
  void stoppingAppliesTheOpenWindowDurably() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    give(true);
    pipeline.drainAndStop();
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.BARRIER);
    assertThat(applier.durable()).isEqualTo(1);
    assertThat(applier.isClosed()).isTrue();
    assertThat(pipeline.progress().state()).isEqualTo(SinkState.STOPPED);
    assertThat(pipeline.progress().apply().durable().nextOffset()).isEqualTo(2);
  }

  @Test
  void progressOfAnIdleSourceMovesTheCheckpointWithoutARound() {
    start(new Settings());
    journal.transaction(10);
    give(true);
    awaitWindows(1);
    assertThat(applier.rounds()).isZero();
    journal.transaction(20);
    give(true);
    assertThat(give(true).callAgainWithin()).isEqualTo(Duration.ofSeconds(1));
    later(Duration.ofSeconds(3));
    give(true);
    awaitWindows(2);
    assertThat(pipeline.progress().apply().applied().position()).isEqualTo(new Position(20));
  }

  @Test
  void inTransactionalModeChangesAreAppliedAsTheyCame() {
    start(new Settings().transactional(2, Duration.ofSeconds(1)));
    journal.transaction(10, insert(1, "a"), update(1, "b"), delete(1));
    give(false);
    awaitWindows(1);
    assertThat(pipeline.progress().apply().netChanges()).isEqualTo(3);
  }

  @Test
  void inTransactionalModeCommitTimeoutClosesASmallWindow() {
    start(new Settings().transactional(1_000, Duration.ofSeconds(2)));
    journal.transaction(10, insert(1, "a"));
    give(true);
    later(Duration.ofSeconds(2).minusNanos(1));
    give(true);
    assertThat(pipeline.progress().intake().backlogChanges()).isEqualTo(1);
    later(Duration.ofNanos(1));
    give(true);
    awaitWindows(1);
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.MAX_TIME);
  }

  private static ChangeEvent[] many(long from, long to) {
    return LongStream.rangeClosed(from, to)
        .mapToObj(id -> insert(id, Long.toHexString(id * 0x9E3779B97F4A7C15L)))
        .toArray(ChangeEvent[]::new);
  }

  /** Patient, because a build machine may be busy. */
  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(5));
  }

  private ClosedWindow windowOf(long position) {
    return applier.windows().stream()
        .filter(window -> window.position().equals(new Position(position)))
        .findFirst()
        .orElseThrow();
  }

  private LaneBound bound() {
    if (broken != null) {
      throw broken;
    }
    return bound;
  }

  private void start(Settings settings) {
    wanted = settings.build(directory);
    pipeline =
        SinkPipeline.start(
            lane,
            () -> wanted,
            JournalOffset.beginning(Position.ZERO),
            JournalScript.SCHEMAS,
            applier,
            disk);
  }

  /** What a user's edit does. */
  private void change(Settings settings) {
    wanted = settings.build(directory);
  }

  private PollDirective give(boolean caughtUp) {
    return pipeline.accept(journal.next(), caughtUp, now);
  }

  /** An update of the first row that the source committed this long ago. */
  private void updateCommitted(int position, Duration ago) {
    committed(position, ago, update(1, "b" + position));
  }

  private void committed(int position, Duration ago, ChangeEvent... changes) {
    Instant commit = now.minus(ago);
    journal.transaction(
        new Position(1 + position),
        commit.getEpochSecond() * 1_000_000 + commit.getNano() / 1000,
        changes);
  }

  private void later(Duration time) {
    now = now.plus(time);
  }

  private void awaitWindows(int count) {
    await().untilAsserted(() -> assertThat(applier.windows()).hasSizeGreaterThanOrEqualTo(count));
    await()
        .untilAsserted(
            () ->
                assertThat(pipeline.progress().apply().windows())
                    .isGreaterThanOrEqualTo((long) count));
  }

  private void giveUntilWindowsReach(int rows) {
    await()
        .until(
            () -> {
              give(true);
              return applier.items().size() >= rows - 1
                  && pipeline.progress().intake().backlogChanges() == 0;
            });
  }

  /** Settings of which a test says what matters to it. */
  private static final class Settings {
    private LeastWindowTime timeoutMin = LeastWindowTime.of(Duration.ofSeconds(1));
    private DataSize windowMemory = DataSize.ofMebibytes(10);
    private DataSize openMemory = DataSize.ofMebibytes(10);
    private DataSize swap = DataSize.ofMebibytes(100);
    private Optional<Duration> commitTimeout = Optional.empty();
    private Duration durableInterval = LONG;
    private int minTransactionSize;
    private int readyThreshold = 10_000;
    private BatchApplyOverrides tables = BatchApplyOverrides.NONE;

    Settings readyThreshold(int netChanges) {
      readyThreshold = netChanges;
      return this;
    }

    Settings items(BatchApplyOverride override) {
      tables = Tunings.forItems(override);
      return this;
    }

    Settings timeoutMin(Duration value) {
      timeoutMin = LeastWindowTime.of(value);
      return this;
    }

    Settings auto() {
      timeoutMin = LeastWindowTime.AUTO;
      return this;
    }

    Settings durableInterval(Duration value) {
      durableInterval = value;
      return this;
    }

    Settings windowMemory(long bytes) {
      windowMemory = DataSize.ofBytes(bytes);
      return this;
    }

    Settings openMemory(long bytes) {
      openMemory = DataSize.ofBytes(bytes);
      return this;
    }

    Settings swap(long bytes) {
      swap = DataSize.ofBytes(bytes);
      return this;
    }

    Settings transactional(int changes, Duration timeout) {
      minTransactionSize = changes;
      commitTimeout = Optional.of(timeout);
      return this;
    }

    SinkSettings build(Path directory) {
      TaskSettings settings =
          TaskSettings.DEFAULTS
              .with(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN, timeoutMin)
              .with(ChangeProcessingTuning.BATCH_APPLY_MEMORY_LIMIT, windowMemory)
              .with(ChangeProcessingTuning.MIN_TRANSACTION_SIZE, minTransactionSize)
              .with(
                  ChangeProcessingTuning.COMMIT_TIMEOUT,
                  commitTimeout.orElse(Duration.ofSeconds(1)))
              .with(ChangeProcessingTuning.MEMORY_LIMIT_TOTAL, openMemory)
              .with(TargetMetadata.BATCH_APPLY_ENABLED, commitTimeout.isEmpty())
              .with(SluiceSettings.READY_THRESHOLD, readyThreshold)
              .with(SluiceSettings.SWAP_LIMIT, swap)
              .with(SluiceSettings.DURABLE_COMMIT_INTERVAL, durableInterval)
              .with(ErrorBehavior.RECOVERABLE_ERROR_INTERVAL, Duration.ofMillis(1))
              .with(ErrorBehavior.RECOVERABLE_ERROR_THROTTLING, false);
      return new SinkSettings(
          "test", settings, directory.resolve("swap"), DataSize.ofMebibytes(1024), tables);
    }
  }
}
