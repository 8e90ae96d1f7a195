package dev.sluice.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.WindowApplier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IntakeThreadTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir Path folder;

  @Test
  void anErrorOnTheIntakeThreadIsTheReadersFailure() throws Exception {
    AtomicBoolean asked = new AtomicBoolean();
    // What a class does that is not in the libraries any more.
    InstantSource broken =
        () -> {
          if (asked.getAndSet(true)) {
            throw new NoClassDefFoundError("dev/sluice/Gone");
          }
          return Instant.EPOCH;
        };
    MonotonicClock clock = new MonotonicClock(broken.withZone(ZoneOffset.UTC));
    SinkSettings settings = settings();
    SinkPipeline pipeline =
        SinkPipeline.start(
            () -> settings,
            JournalOffset.beginning(Position.ZERO),
            fingerprint -> {
              throw new AssertionError("nothing is read");
            },
            new Untouched());
    try (IntakeThread reader =
        IntakeThread.start(
            // Nobody listens there: a poll gives nothing, and asks again.
            Map.of("bootstrap.servers", "127.0.0.1:1"), "journal", 0, pipeline, clock)) {
      await().atMost(PATIENCE).until(() -> reader.failure().isPresent());
      assertThat(reader.failure().get())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("dev/sluice/Gone");
      assertThat(reader.awaitEnd(PATIENCE)).isTrue();
    }
  }

  private SinkSettings settings() {
    return new SinkSettings(
        "broken",
        TaskSettings.DEFAULTS.with(SluiceSettings.SWAP_LIMIT, DataSize.ofMebibytes(1)),
        folder,
        DataSize.ofMebibytes(64),
        BatchApplyOverrides.NONE);
  }

  private static final class Untouched implements WindowApplier {
    @Override
    public AppliedWindow apply(ClosedWindow window) {
      throw new AssertionError("no window is closed");
    }

    @Override
    public void makeDurable() {
      throw new AssertionError("there is nothing to make durable");
    }

    @Override
    public void breakOff() {}

    @Override
    public void close() {}
  }
}
