package dev.sluice.sink;

import static dev.sluice.sink.JournalScript.delete;
import static dev.sluice.sink.JournalScript.fence;
import static dev.sluice.sink.JournalScript.insert;
import static dev.sluice.sink.JournalScript.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.ChangeProcessingTuning;
import dev.sluice.config.DataSize;
import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalPlace;
import dev.sluice.sink.progress.SinkState;
import dev.sluice.sink.window.CloseReason;
import dev.sluice.sink.window.ClosedWindow;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
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
    Demand demand = give(true);
    assertThat(demand).isEqualTo(new Demand(false, Duration.ofSeconds(1)));
    assertThat(applier.windows()).isEmpty();
    later(Duration.ofSeconds(1));
    give(true);
    awaitWindows(1);
    assertThat(applier.items()).hasToString("{1=a, 2=b}");
    assertThat(applier.windows().get(0).reason()).isEqualTo(CloseReason.CAUGHT_UP);
  }

  @Test
  void aFenceClosesTheWindowThatCarriesItAndIsToldOnlyWhenDurable() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    journal.transaction(20, fence("here"));
    journal.transaction(30, insert(2, "b"));
    give(true);
    await().until(() -> pipeline.progress().hasPassed("here"));
    assertThat(applier.durable()).isEqualTo(1);
    assertThat(applier.windows()).hasSize(1);
    assertThat(applier.windows().get(0).position()).isEqualTo(new Position(20));
    assertThat(applier.windows().get(0).fences()).containsExactly("here");
    assertThat(pipeline.progress().apply().durable().position()).isEqualTo(new Position(20));
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
    assertThat(pipeline.progress().intake().transactionsSpilled()).isEqualTo(1);
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
    assertThat(pipeline.progress().intake().transactionsSpilled()).isEqualTo(1);
    assertThat(pipeline.progress().intake().swapFiles()).isZero();
    pipeline.drainAndStop();
    assertThat(applier.windows()).hasSize(1);
    assertThat(applier.windows().get(0).transactions()).isEqualTo(2);
    assertThat(applier.items()).hasSize(1001);
  }

  @Test
  void changesThatDoNotFollowEachOtherStopThePipelineAndNothingOfTheWindowIsApplied() {
    start(new Settings());
    journal.transaction(10, insert(1, "a"));
    journal.transaction(20, insert(2, "b"), insert(1, "again"));
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
    changes.add(fence("inside"));
    journal.transaction(10, changes.toArray(new ChangeEvent[0]));
    give(true);
    await().until(() -> pipeline.progress().hasPassed("inside"));
    assertThat(applier.items()).hasSize(100);
  }

  @Test
  void anOpenTransactionThatDoesNotFitIntoSwapPausesIntakeUntilThereIsRoom() {
    applier.block();
    start(new Settings().windowMemory(2_000).openMemory(2_000).swap(12_000));
    ChangeEvent[] many =
        LongStream.rangeClosed(1, 2_000)
            .mapToObj(id -> insert(id, Long.toHexString(id * 0x9E3779B97F4A7C15L)))
            .toArray(ChangeEvent[]::new);
    journal.transaction(10, many);
    Demand demand = give(false);
    assertThat(demand.pause()).isTrue();
    assertThat(pipeline.progress().state()).isEqualTo(SinkState.SWAP_FULL);
    assertThat(pipeline.progress().detail()).contains("11.7 KiB");
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

  /** Patient, because a build machine may be busy. */
  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofSeconds(60));
  }

  private ClosedWindow windowOf(long position) {
    return applier.windows().stream()
        .filter(window -> window.position().equals(new Position(position)))
        .findFirst()
        .orElseThrow();
  }

  private void start(Settings settings) {
    pipeline =
        SinkPipeline.start(
            settings.build(directory),
            JournalPlace.beginning(Position.ZERO),
            JournalScript.SCHEMAS,
            applier);
  }

  private Demand give(boolean caughtUp) {
    return pipeline.accept(journal.next(), caughtUp, now);
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
    private Duration timeoutMin = Duration.ofSeconds(1);
    private DataSize windowMemory = DataSize.ofMebibytes(10);
    private DataSize openMemory = DataSize.ofMebibytes(10);
    private DataSize swap = DataSize.ofMebibytes(100);
    private Optional<Duration> commitTimeout = Optional.empty();
    private int minTransactionSize;

    Settings timeoutMin(Duration value) {
      timeoutMin = value;
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
      ChangeProcessingTuning tuning =
          new ChangeProcessingTuning(
              true,
              timeoutMin,
              Duration.ofSeconds(30),
              windowMemory,
              0,
              minTransactionSize,
              commitTimeout.orElse(Duration.ofSeconds(1)),
              openMemory,
              Duration.ofSeconds(60),
              50);
      return new SinkSettings(
          "test",
          tuning,
          commitTimeout.isEmpty(),
          10_000,
          directory.resolve("swap"),
          swap,
          LONG,
          new RecoverableErrors(-1, Duration.ofMillis(1), false, Duration.ofMillis(1), false),
          DataSize.ofMebibytes(1024));
    }
  }
}
