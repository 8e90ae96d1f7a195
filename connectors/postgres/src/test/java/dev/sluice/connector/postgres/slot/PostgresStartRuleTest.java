package dev.sluice.connector.postgres.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.api.source.StartRule.Decision;
import dev.sluice.connector.api.source.StartRule.Facts;
import dev.sluice.connector.postgres.server.TimelineHistory;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class PostgresStartRuleTest {
  private static final SourceIdentity SOURCE = new SourceIdentity("7", 1);

  private Optional<RetentionState> slot = slot(100);
  private long checkpoint = 100;
  private Optional<Position> journal = Optional.empty();
  private boolean sameTopic = true;
  private long offset = 50;
  private long journalStart = 10;
  private long journalEnd = 60;
  private SourceIdentity now = SOURCE;
  private Optional<Position> parted = Optional.empty();
  private Position logEnd = new Position(1000);
  private long accepted;
  private long furthest;
  private long loaded;

  @Test
  void aSlotAtTheCheckpointResumesAtTheCheckpointsOffset() {
    assertThat(decide()).isEqualTo(new Decision.GoOn(new Position(100), Optional.of(50L)));
  }

  @Test
  void theJournalMayHaveChangesThatTheSlotNoLongerHas() {
    slot = slot(150);
    journal = Optional.of(new Position(150));
    assertThat(decide()).isEqualTo(new Decision.GoOn(new Position(150), Optional.of(50L)));
  }

  @Test
  void aSlotAheadOfCheckpointAndJournalStops() {
    slot = slot(151);
    journal = Optional.of(new Position(150));
    assertThat(found()).contains("begins after 0/97").contains("only up to 0/96");
  }

  @Test
  void aJournalWhoseStartWasDeletedDoesNotCount() {
    slot = slot(150);
    journal = Optional.of(new Position(150));
    journalStart = 51;
    assertThat(found()).contains("only up to 0/64");
    slot = slot(100);
    assertThat(decide()).isEqualTo(new Decision.GoOn(new Position(100), Optional.empty()));
  }

  @Test
  void anotherTopicOrALogThatEndsBeforeTheOffsetIsReadFromItsStart() {
    sameTopic = false;
    assertThat(decide()).isEqualTo(new Decision.GoOn(new Position(100), Optional.empty()));
    sameTopic = true;
    journalEnd = 49;
    assertThat(decide()).isEqualTo(new Decision.GoOn(new Position(100), Optional.empty()));
  }

  @Test
  void aMissingOrLostSlotAndAnotherSourceStop() {
    slot = Optional.empty();
    assertThat(found()).contains("does not exist");
    slot =
        Optional.of(
            new RetentionState(
                new Position(1), OptionalLong.empty(), true, 0, 0, OptionalLong.empty(), false));
    assertThat(found()).contains("removed log");
    slot = slot(100);
    now = new SourceIdentity("8", 1);
    assertThat(found()).contains("system 8");
    assertThat(fix()).doesNotContain("--drop");
  }

  @Test
  void aStandbyThatTookOverIsUsedIfItHasAllReplicatedChanges() {
    now = new SourceIdentity("7", 2);
    parted = Optional.of(new Position(150));
    assertThat(decide()).isEqualTo(new Decision.GoOn(new Position(100), Optional.of(50L)));
    journal = Optional.of(new Position(150));
    assertThat(decide()).isEqualTo(new Decision.GoOn(new Position(100), Optional.of(50L)));
    journal = Optional.of(new Position(151));
    assertThat(found()).contains("took over at 0/96").contains("up to 0/97, which it never had");
    journal = Optional.empty();
    checkpoint = 151;
    assertThat(found()).contains("which it never had");
  }

  @Test
  void aStandbyWithoutTheSlotAndAServerOfAnotherHistoryStop() {
    now = new SourceIdentity("7", 2);
    assertThat(found()).contains("system 7, timeline 2").contains("does not contain timeline 1");
    parted = Optional.of(new Position(150));
    slot = Optional.empty();
    assertThat(found()).contains("does not exist").contains("failed over from timeline 1 to 2");
  }

  @Test
  void aSourceThatWasSetBackBehindTargetOrJournalStops() {
    journal = Optional.of(new Position(150));
    logEnd = new Position(150);
    assertThat(decide()).isEqualTo(new Decision.GoOn(new Position(100), Optional.of(50L)));
    logEnd = new Position(149);
    assertThat(found()).contains("log ends at 0/95").contains("up to 0/96, which it does not have");
    journal = Optional.empty();
    assertThat(decide()).isEqualTo(new Decision.GoOn(new Position(100), Optional.of(50L)));
    logEnd = new Position(99);
    assertThat(found()).contains("up to 0/64, which it does not have");
    assertThat(fix()).contains("sluice resync");
  }

  /** Their changes exist nowhere else, and new ones at their positions would be dropped. */
  @Test
  void whatATermOfTheJournalHasNotRepeatedYetALaneAndALoadCountToo() {
    now = new SourceIdentity("7", 2);
    parted = Optional.of(new Position(150));
    journal = Optional.of(new Position(120));
    for (Runnable ahead :
        List.<Runnable>of(() -> accepted = 151, () -> furthest = 151, () -> loaded = 151)) {
      accepted = 0;
      furthest = 0;
      loaded = 0;
      assertThat(decide()).isInstanceOf(Decision.GoOn.class);
      ahead.run();
      assertThat(found()).contains("took over at 0/96").contains("up to 0/97, which it never had");
    }
  }

  @Test
  void aSourceThatWasSetBackBehindALaneALoadOrAnEarlierTermStops() {
    journal = Optional.of(new Position(120));
    logEnd = new Position(150);
    for (Runnable ahead :
        List.<Runnable>of(() -> accepted = 151, () -> furthest = 151, () -> loaded = 151)) {
      accepted = 0;
      furthest = 0;
      loaded = 0;
      assertThat(decide()).isInstanceOf(Decision.GoOn.class);
      ahead.run();
      assertThat(found())
          .contains("log ends at 0/96")
          .contains("up to 0/97, which it does not have");
    }
  }

  @Test
  void theHistoryOfATimelineHasTheEndsOfEarlierOnes() {
    String history = "1\t0/3000060\tno recovery target specified\n\n2\t1/0\tx 1 0/1\n";
    assertThat(TimelineHistory.leftAt(history, 1)).contains(Position.parse("0/3000060"));
    assertThat(TimelineHistory.leftAt(history, 2)).contains(Position.parse("1/0"));
    assertThat(TimelineHistory.leftAt(history, 3)).isEmpty();
  }

  @Property
  void itNeverResumesBehindMissingChanges(
      @ForAll @LongRange(min = 0, max = 5) long confirmed,
      @ForAll @LongRange(min = 0, max = 5) long applied,
      @ForAll @LongRange(min = 0, max = 5) long journaled,
      @ForAll @LongRange(min = 0, max = 5) long start) {
    slot = slot(confirmed);
    checkpoint = applied;
    journal = Optional.of(new Position(journaled));
    journalStart = start;
    offset = 3;
    boolean journalWhole = start <= 3;
    boolean safe = confirmed <= applied || journalWhole && confirmed <= journaled;
    assertThat(decide() instanceof Decision.GoOn).isEqualTo(safe);
  }

  private String fix() {
    return ((Decision.Stop) decide()).problem().fix();
  }

  private String found() {
    return ((Decision.Stop) decide()).problem().found();
  }

  private Decision decide() {
    return new PostgresStartRule()
        .decide(
            new Facts(
                "s",
                slot,
                new Position(checkpoint),
                new Position(Math.max(checkpoint, furthest)),
                journal,
                sameTopic,
                offset,
                journalStart,
                journalEnd,
                SOURCE,
                now,
                parted,
                logEnd,
                new Position(accepted),
                new Position(loaded),
                position -> Optional.empty(),
                Optional.empty()));
  }

  private static Optional<RetentionState> slot(long confirmed) {
    return Optional.of(
        new RetentionState(
            new Position(confirmed),
            OptionalLong.empty(),
            false,
            0,
            0,
            OptionalLong.empty(),
            false));
  }
}
