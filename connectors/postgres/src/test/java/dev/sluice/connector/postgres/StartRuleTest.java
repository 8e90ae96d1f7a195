package dev.sluice.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.postgres.StartRule.Decision;
import dev.sluice.connector.postgres.StartRule.Facts;
import dev.sluice.connector.postgres.StartRule.History;
import java.util.Optional;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class StartRuleTest {
  private static final History SOURCE = new History(7, 1);

  private Optional<SlotState> slot = slot(100);
  private long checkpoint = 100;
  private Optional<Position> journal = Optional.empty();
  private boolean sameTopic = true;
  private long offset = 50;
  private long journalStart = 10;
  private long journalEnd = 60;
  private History now = SOURCE;

  @Test
  void aSlotAtTheCheckpointGoesOnAtTheCheckpointsOffset() {
    assertThat(decide()).isEqualTo(new Decision.GoOn(new Position(100), Optional.of(50L)));
  }

  @Test
  void whatTheSlotNoLongerGivesMayBeInTheJournal() {
    slot = slot(150);
    journal = Optional.of(new Position(150));
    assertThat(decide()).isEqualTo(new Decision.GoOn(new Position(150), Optional.of(50L)));
  }

  @Test
  void aSlotAheadOfCheckpointAndJournalStops() {
    slot = slot(151);
    journal = Optional.of(new Position(150));
    assertThat(met()).contains("begins after 0/97").contains("up to 0/96 only");
  }

  @Test
  void aJournalWhoseFrontIsGoneDoesNotCount() {
    slot = slot(150);
    journal = Optional.of(new Position(150));
    journalStart = 51;
    assertThat(met()).contains("up to 0/64 only");
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
    assertThat(met()).contains("does not exist");
    slot =
        Optional.of(
            new SlotState(
                new Position(1), OptionalLong.empty(), true, 0, OptionalLong.empty(), false));
    assertThat(met()).contains("given up");
    slot = slot(100);
    now = new History(7, 2);
    assertThat(met()).contains("timeline 2");
    now = new History(8, 1);
    assertThat(met()).contains("system 8");
  }

  @Property
  void itNeverGoesOnPastWhatIsThere(
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

  private String met() {
    return ((Decision.Stop) decide()).problem().met();
  }

  private Decision decide() {
    return StartRule.decide(
        new Facts(
            "s",
            slot,
            new Position(checkpoint),
            journal,
            sameTopic,
            offset,
            journalStart,
            journalEnd,
            SOURCE,
            now));
  }

  private static Optional<SlotState> slot(long confirmed) {
    return Optional.of(
        new SlotState(
            new Position(confirmed), OptionalLong.empty(), false, 0, OptionalLong.empty(), false));
  }
}
