package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class HeldWindowsTest {
  private final Lanes lanes = new Lanes();
  private final AtomicBoolean forbidden = new AtomicBoolean();
  private final HeldWindows held = new HeldWindows(lanes, forbidden::get);

  @Test
  void aLaneIsHeldFromTheSourcesSnapshotOnAndReleasedAtTheEnd() {
    assertThat(held.isDue()).isTrue();
    assertThat(held.begin(LaneId.MAIN)).isTrue();
    assertThat(lanes.calls).isEmpty();
    held.from(new Position(7));
    assertThat(lanes.calls).containsExactly("hold " + LaneId.MAIN + " from 0/7");
    held.end();
    held.end();
    assertThat(lanes.calls).endsWith("release").hasSize(2);
    assertThat(lanes.longest).isLessThanOrEqualTo(HeldWindows.LONGEST);
  }

  @Test
  void sessionsOfOtherRepairsHoldNothing() {
    held.from(new Position(7));
    held.begin(LaneId.MAIN);
    held.end();
    held.from(new Position(8));
    assertThat(lanes.calls).containsExactly("release");
  }

  @Test
  void whoWaitsForTheWindowsEndsAHoldAndKeepsTheNextOneAway() {
    held.begin(LaneId.MAIN);
    held.from(new Position(7));
    forbidden.set(true);
    held.end();
    held.from(new Position(8));
    assertThat(lanes.calls).endsWith("release").hasSize(2);
    assertThat(held.begin(LaneId.MAIN)).isFalse();
    held.from(new Position(9));
    assertThat(lanes.calls).hasSize(2);
  }

  /** Notes what is asked of the lanes. */
  private static final class Lanes implements Applied {
    private final List<String> calls = new ArrayList<>();
    private Duration longest = Duration.ZERO;

    @Override
    public void hold(LaneId lane, Position from, Duration time) {
      calls.add("hold " + lane + " from " + from);
      longest = time;
    }

    @Override
    public void release() {
      calls.add("release");
    }

    @Override
    public LaneId laneOf(TableId target) {
      return LaneId.MAIN;
    }

    @Override
    public Position position(LaneId lane) {
      return Position.ZERO;
    }

    @Override
    public JournalOffset reached() {
      return JournalOffset.beginning(Position.ZERO);
    }

    @Override
    public Optional<Duration> lag() {
      return Optional.empty();
    }

    @Override
    public Set<TableId> suspended() {
      return Set.of();
    }
  }
}
