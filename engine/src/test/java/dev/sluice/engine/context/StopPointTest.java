package dev.sluice.engine.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.CdcStop;
import dev.sluice.config.task.CdcStop.AtCommitTime;
import dev.sluice.config.task.CdcStop.AtPosition;
import dev.sluice.config.task.CdcStop.AtServerTime;
import dev.sluice.config.task.CdcStop.Now;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.OpenTransaction;
import dev.sluice.connector.api.source.SourceLog;
import dev.sluice.connector.api.source.SourceSession;
import dev.sluice.connector.api.source.StopReading;
import dev.sluice.sink.lane.LaneBound;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class StopPointTest {
  private static final Instant START = Instant.parse("2026-01-31T12:00:00Z");

  private final Log log = new Log();
  private Instant here = START;
  private boolean fenced = true;
  private Position loaded = Position.ZERO;

  @Test
  void withoutAStopNothingIsAskedAndNothingBounds() {
    StopPoint point = of(Optional.empty());
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.NONE);
    assertThat(log.questions).isZero();
  }

  @Test
  void aTimeOfTheSourcesClockBecomesAFenceWhenItIsReached() {
    StopPoint point = of(Optional.of(new AtServerTime(START.plusSeconds(10))));
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.NONE);
    // This machine's clock runs fast: the source's one decides.
    here = here.plusSeconds(10);
    log.time = log.time.plusSeconds(9);
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.NONE);
    here = here.plusSeconds(1);
    log.time = log.time.plusSeconds(1);
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.endingAt(new Position(101)));
    point.look();
    assertThat(log.fences).isEqualTo(1);
  }

  @Test
  void betweenTheEndOfTheLogAndItsFenceNoLanePasses() {
    StopPoint point = of(Optional.of(new Now()));
    log.onFence = () -> assertThat(point.bound()).isEqualTo(LaneBound.upTo(new Position(100)));
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.endingAt(new Position(101)));
  }

  @Test
  void aTimeOfCommitsBoundsFromTheBeginningAndEndsAtAFence() {
    Instant time = START.plusSeconds(5);
    StopPoint point = of(Optional.of(new AtCommitTime(time)));
    assertThat(point.bound()).isEqualTo(LaneBound.endingAt(time));
    here = here.plusSeconds(60);
    log.time = time;
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.endingAt(time).andAt(new Position(101)));
  }

  @Test
  void behindAPositionAFenceShowsThatALogWhichRestsGoesOn() {
    StopPoint point = of(Optional.of(new AtPosition("100")));
    assertThat(point.bound()).isEqualTo(LaneBound.endingAt(new Position(100)));
    point.look();
    assertThat(log.fences).isZero();
    here = here.plusSeconds(1);
    log.end = 150;
    point.look();
    assertThat(log.fences).isEqualTo(1);
    assertThat(point.bound()).isEqualTo(LaneBound.endingAt(new Position(100)));
  }

  @Test
  void withoutFencesATimeOfCommitsIsReachedByALaterTransactionOnly() {
    fenced = false;
    StopPoint point = of(Optional.of(new AtCommitTime(START)));
    here = here.plusSeconds(60);
    log.time = here;
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.endingAt(START));
    assertThat(log.questions).isZero();
    assertThat(log.fences).isZero();
  }

  @Test
  void withoutFencesTheLogFindsWhatIsCommittedAtAMoment() {
    fenced = false;
    for (CdcStop stop : List.of(new Now(), new AtServerTime(START))) {
      StopPoint point = of(Optional.of(stop));
      assertThat(point.bound())
          .as("before anything is known")
          .isEqualTo(LaneBound.upTo(Position.ZERO));
      log.stop = new StopReading.NotUpTo(new Position(90));
      point.look();
      assertThat(point.bound()).isEqualTo(LaneBound.upTo(new Position(90)));
      log.stop = new StopReading.At(new Position(95));
      point.look();
      point.look();
      assertThat(point.bound()).isEqualTo(LaneBound.endingAt(new Position(95)));
    }
    assertThat(log.questions).isZero();
    assertThat(log.fences).isZero();
  }

  @Test
  void noLanePassesWhatMayHaveTheTransactionsBehindWhichTheTaskStops() {
    StopPoint point = of(Optional.of(new AtPosition("transaction")));
    assertThat(point.bound()).isEqualTo(LaneBound.upTo(Position.ZERO));
    log.stop = new StopReading.NotUpTo(new Position(90));
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.upTo(new Position(90)));
    // A capture that was started again reads a part once more.
    log.stop = new StopReading.NotUpTo(new Position(80));
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.upTo(new Position(90)));
    log.stop = new StopReading.At(new Position(95));
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.endingAt(new Position(95)));
    point.look();
    assertThat(log.fences).as("so that a log which rests goes on").isEqualTo(1);
  }

  /** The load may have begun again, on another server. */
  @Test
  void whereTransactionsEndIsAskedForByEachReplication() {
    StopPoint point = of(Optional.of(new AtPosition("transaction")));
    log.stop = new StopReading.At(new Position(95));
    point.begin();
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.endingAt(new Position(95)));
    log.stop = new StopReading.At(new Position(80));
    point.begin();
    assertThat(point.bound()).isEqualTo(LaneBound.upTo(Position.ZERO));
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.endingAt(new Position(80)));
  }

  /** A load that goes on reads the missing tables at a later snapshot than the others. */
  @Test
  void aStopBeforeASnapshotOfTablesIsRefused() {
    StopPoint point = of(Optional.of(new AtPosition("transaction")));
    log.stop = new StopReading.NotUpTo(new Position(90));
    point.requireBehind(new Position(96));
    log.stop = new StopReading.At(new Position(95));
    point.requireBehind(new Position(95));
    assertThatThrownBy(() -> point.requireBehind(new Position(96)))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("tables were loaded as they are at " + new Position(96));
    // The load has ended before the capture had read so far.
    loaded = new Position(96);
    point.begin();
    assertThatThrownBy(point::look)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("tables were loaded as they are at " + new Position(96));
    assertThat(point.bound()).isEqualTo(LaneBound.upTo(Position.ZERO));
  }

  @Test
  void aFenceStaysTheEndOverAttempts() {
    StopPoint point = of(Optional.of(new Now()));
    point.look();
    point.begin();
    point.look();
    assertThat(point.bound()).isEqualTo(LaneBound.endingAt(new Position(101)));
  }

  private StopPoint of(Optional<CdcStop> stop) {
    return new StopPoint(
        stop,
        text ->
            text.equals("transaction")
                ? Optional.empty()
                : Optional.of(new Position(Long.parseLong(text))),
        log,
        fenced,
        () -> loaded,
        new Here());
  }

  private final class Here extends Clock {
    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return here;
    }
  }

  private static final class Log implements SourceLog {
    private Instant time = START;
    private long end = 100;
    private int fences;
    private int questions;
    private StopReading stop;
    private Runnable onFence = () -> {};

    @Override
    public Position current() {
      questions++;
      return new Position(end);
    }

    @Override
    public Position emitFence() {
      onFence.run();
      fences++;
      return new Position(end + fences);
    }

    @Override
    public StopReading stop() {
      return stop;
    }

    @Override
    public Instant clock() {
      questions++;
      return time;
    }

    @Override
    public OptionalLong takeTransactionId() {
      return OptionalLong.empty();
    }

    @Override
    public void endWindows() {}

    @Override
    public List<SourceSession> sessions() {
      return List.of();
    }

    @Override
    public List<OpenTransaction> openTransactions() {
      return List.of();
    }

    @Override
    public long ignoredMessages() {
      return 0;
    }
  }
}
