package dev.sluice.connector.generic.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.api.source.StartRule.Decision;
import dev.sluice.connector.api.source.StartRule.Facts;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JournalStartRuleTest {
  private static final Position BEGIN = AttemptPosition.beginning(Instant.ofEpochSecond(7));
  private static final SourceIdentity SOURCE = new SourceIdentity("DB2 at a:1/d", 1);

  @Test
  void aTaskGoesOnAfterTheLastTransactionOfTargetAndJournal() {
    assertThat(decide(at(3), at(3), Optional.of(at(5)), SOURCE))
        .isEqualTo(new Decision.GoOn(at(5), Optional.of(40L)));
    assertThat(decide(at(3), at(3), Optional.empty(), SOURCE))
        .isEqualTo(new Decision.GoOn(at(3), Optional.of(40L)));
  }

  @Test
  void anotherSourceIsRefused() {
    assertThat(decide(at(3), at(3), Optional.empty(), new SourceIdentity("DB2 at b:1/d", 1)))
        .isInstanceOf(Decision.Stop.class);
  }

  /** What it has would get other positions, and be applied again. */
  @Test
  void aPartOfTheTargetThatIsAheadOfTheJournalIsRefused() {
    assertThat(decide(at(3), at(9), Optional.of(at(5)), SOURCE)).isInstanceOf(Decision.Stop.class);
  }

  /** Also if a later term's transactions are left, which do not repeat what is gone. */
  @Test
  void aJournalThatLostWhatTheTargetHasNotAppliedIsRefused() {
    assertThat(decide(at(3), at(3), Optional.of(at(9)), SOURCE, 40))
        .isInstanceOf(Decision.GoOn.class);
    assertThat(decide(at(3), at(3), Optional.of(at(9)), SOURCE, 41))
        .isInstanceOf(Decision.Stop.class);
  }

  @Test
  void anAttemptAtASnapshotHasNoPositionOfAnEarlierOne() {
    Position later = AttemptPosition.beginning(Instant.ofEpochSecond(8));
    assertThat(later.isAfter(at(1_000_000))).isTrue();
    assertThat(AttemptPosition.isBeginning(BEGIN)).isTrue();
    assertThat(AttemptPosition.isBeginning(BEGIN.next())).isFalse();
    assertThat(AttemptPosition.areOfOneAttempt(BEGIN, at(4))).isTrue();
    assertThat(AttemptPosition.areOfOneAttempt(later, at(4))).isFalse();
    assertThat(AttemptPosition.beginningOf(at(4))).isEqualTo(BEGIN);
  }

  private static Position at(long number) {
    return new Position(BEGIN.high(), number);
  }

  private static Decision decide(
      Position checkpoint, Position furthest, Optional<Position> journal, SourceIdentity now) {
    return decide(checkpoint, furthest, journal, now, 0);
  }

  private static Decision decide(
      Position checkpoint,
      Position furthest,
      Optional<Position> journal,
      SourceIdentity now,
      long journalStart) {
    return new JournalStartRule()
        .decide(
            new Facts(
                "debezium",
                Optional.empty(),
                checkpoint,
                furthest,
                journal,
                true,
                40,
                journalStart,
                50,
                SOURCE,
                now,
                Optional.empty(),
                Position.MAX,
                Position.ZERO,
                Position.ZERO,
                position -> Optional.empty(),
                Optional.empty()));
  }
}
