package dev.sluice.sink;

import static dev.sluice.sink.JournalScript.insert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.LeastWindowTime;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneBound;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An intake that sleeps until the apply thread wakes it. Its clock stands still, and nothing here
 * waits for a time to pass: if a wake-up were lost, a test would wait until its limit.
 */
final class WokenIntakeTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final long LIMIT_MINUTES = 5;

  /** A caller that is told to call again within this time does so without being woken. */
  private static final Duration POLLS = Duration.ofMillis(10);

  @TempDir Path directory;

  private final RecordingApplier applier = new RecordingApplier();
  private final JournalScript journal = new JournalScript().term(1, 0);
  private final Semaphore woken = new Semaphore(0);
  private volatile LaneBound bound = LaneBound.NONE;
  private SinkPipeline pipeline;

  @AfterEach
  void close() {
    applier.letAll();
    pipeline.close();
  }

  @Test
  void aWindowIsSubmittedAtTheMomentTheOneBeforeItIsApplied() throws Exception {
    applier.block();
    start();
    pipeline.wakeWith(woken::release);
    journal.transaction(10, insert(1, "a"));
    give();
    journal.transaction(20, insert(2, "b"));
    assertThat(give()).as("a busy target is not polled").isGreaterThan(POLLS);
    assertThat(woken.availablePermits()).isZero();

    applier.letAll();
    awaitWakeUp();
    give();
    awaitWakeUp();
    assertThat(applier.items()).hasToString("{1=a, 2=b}");
  }

  @Test
  void noWakeUpIsLostHoweverFastWindowsFollowEachOther() throws Exception {
    int windows = 2_000;
    start();
    pipeline.wakeWith(woken::release);
    for (int position = 1; position <= windows; position++) {
      journal.transaction(position, insert(position, "a"));
      give();
      awaitWakeUp();
    }
    assertThat(applier.windows()).hasSize(windows);
    assertThat(woken.availablePermits()).as("one wake-up for each window").isZero();
  }

  @Test
  void aFailureOfTheApplyThreadWakesTheIntake() throws Exception {
    applier.block();
    start();
    pipeline.wakeWith(woken::release);
    journal.transaction(10, insert(1, "a"));
    give();
    applier.failNext(new SluiceException.Fatal("the target is gone", null));
    applier.letAll();
    awaitWakeUp();
    assertThatThrownBy(this::give).hasMessage("the target is gone");
  }

  @Test
  void whatNoWindowOfItsOwnEndsIsCheckedOften() throws Exception {
    bound = LaneBound.upTo(new Position(10));
    start();
    pipeline.wakeWith(woken::release);
    journal.transaction(10, insert(1, "a"));
    journal.transaction(20, insert(2, "b"));
    give();
    awaitWakeUp();
    assertThat(give()).as("nobody wakes it when the bound is raised").isLessThanOrEqualTo(POLLS);
  }

  @Test
  void aCallerThatCannotBeWokenIsToldToCallOften() {
    applier.block();
    start();
    journal.transaction(10, insert(1, "a"));
    give();
    journal.transaction(20, insert(2, "b"));
    assertThat(give()).isLessThanOrEqualTo(POLLS);
  }

  private void start() {
    SinkSettings settings =
        new SinkSettings(
            "test",
            TaskSettings.DEFAULTS
                .with(TargetMetadata.BATCH_APPLY_ENABLED, true)
                .with(
                    ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN,
                    LeastWindowTime.of(Duration.ZERO))
                .with(SluiceSettings.DURABLE_COMMIT_INTERVAL, Duration.ofHours(1)),
            directory.resolve("swap"),
            DataSize.ofMebibytes(1024),
            BatchApplyOverrides.NONE);
    pipeline =
        SinkPipeline.start(
            Lane.WHOLE.boundedBy(() -> bound),
            () -> settings,
            JournalOffset.beginning(Position.ZERO),
            JournalScript.SCHEMAS,
            applier);
  }

  /** Passes what the journal has; returns when the pipeline wants to be called again. */
  private Duration give() {
    return pipeline.accept(journal.next(), true, NOW).callAgainWithin();
  }

  private void awaitWakeUp() throws InterruptedException {
    assertThat(woken.tryAcquire(LIMIT_MINUTES, TimeUnit.MINUTES)).as("a wake-up").isTrue();
  }
}
