package dev.sluice.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.LeastWindowTime;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.TransactionEncoder;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.WindowApplier;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reader's waits end when there is something to do, not when a time is over. */
class IntakeThreadWakeTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String TOPIC = "journal";

  private static final RowSchema ITEMS =
      new RowSchema(
          new TableId("shop", "items"), List.of(new Column("id", "integer", false, true)));

  @TempDir Path folder;

  private final WaitingConsumer consumer = new WaitingConsumer(new TopicPartition(TOPIC, 0));
  private final TransactionEncoder encoder = new TransactionEncoder(1, 1024, consumer::give);
  private final GatedApplier applier = new GatedApplier();

  @Test
  void anAppliedWindowEndsTheReadersWait() throws Exception {
    consumer.give(new JournalRecord.TermStart(1, Position.ZERO).encode());
    try (IntakeThread reader = start()) {
      insert(10);
      assertThat(applier.nextWindow()).isEqualTo(new Position(10));
      // The window of this one is due, and the target is busy with the one before it.
      insert(20);
      applier.finish();
      assertThat(applier.nextWindow()).isEqualTo(new Position(20));
      applier.finish();
      assertThat(reader.failure()).isEmpty();
    }
  }

  @Test
  void aRequestToStopEndsTheReadersWait() throws Exception {
    try (IntakeThread reader = start()) {
      consumer.awaitPoll();
      reader.askToStop();
      assertThat(reader.awaitEnd(PATIENCE)).isTrue();
      assertThat(reader.failure()).isEmpty();
    }
  }

  /** A transaction with one row. */
  private void insert(long position) {
    encoder.begin();
    encoder.add(new RowChange(ITEMS, null, RowBuilder.rowOf(Long.toString(position))));
    encoder.end(new Position(position), 0);
  }

  private IntakeThread start() {
    SinkSettings settings =
        new SinkSettings(
            "woken",
            TaskSettings.DEFAULTS.with(
                ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN, LeastWindowTime.of(Duration.ZERO)),
            folder,
            DataSize.ofMebibytes(64),
            BatchApplyOverrides.NONE);
    SinkPipeline pipeline =
        SinkPipeline.start(
            () -> settings, JournalOffset.beginning(Position.ZERO), fingerprint -> ITEMS, applier);
    return IntakeThread.start(
        consumer,
        TOPIC,
        0,
        pipeline,
        new MonotonicClock(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)));
  }

  /** Applies a window when the test says so. */
  private static final class GatedApplier implements WindowApplier {
    private final BlockingQueue<Position> begun = new LinkedBlockingQueue<>();
    private final Semaphore gate = new Semaphore(0);

    /** Waits until the next window is being applied; its end. */
    Position nextWindow() throws InterruptedException {
      Position next = begun.poll(PATIENCE.toMinutes(), TimeUnit.MINUTES);
      assertThat(next).as("a window").isNotNull();
      return next;
    }

    void finish() {
      gate.release();
    }

    @Override
    public AppliedWindow apply(ClosedWindow window) {
      begun.add(window.position());
      gate.acquireUninterruptibly();
      return new AppliedWindow(0, 0, Map.of(), Map.of(), Optional.empty());
    }

    @Override
    public void makeDurable() {}

    @Override
    public void breakOff() {
      finish();
    }

    @Override
    public void close() {}
  }
}
