package dev.sluice.sink.intake;

import static dev.sluice.sink.JournalScript.insert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.JournalScript;
import dev.sluice.sink.intake.IntakeResult.DropReason;
import dev.sluice.sink.intake.IntakeResult.Dropped;
import dev.sluice.sink.intake.IntakeResult.Part;
import dev.sluice.sink.intake.IntakeResult.Whole;
import java.util.List;
import org.junit.jupiter.api.Test;

final class IntakeTest {
  private final JournalScript journal = new JournalScript();

  @Test
  void aHoleRightAfterTheCheckpointIsDetected() {
    List<JournalEntry> entries =
        journal.term(3, 0).transaction(10).transaction(20).transaction(30).next();
    Intake intake = new Intake(new JournalOffset(new Position(10), 3, 1, 2));
    assertThat(intake.take(entries.get(3))).isEqualTo(dropped(DropReason.AFTER_GAP));
    assertThat(intake.last()).isEqualTo(new Position(10));
  }

  @Test
  void readingAgainFromTheStartPassesOverWhatWasApplied() {
    List<JournalEntry> entries =
        journal.term(3, 0).transaction(10).transaction(20).transaction(30).next();
    Intake intake = new Intake(new JournalOffset(new Position(20), 3, 2, 3));
    assertThat(intake.take(entries.get(0))).isEqualTo(dropped(DropReason.REPEATED));
    assertThat(intake.take(entries.get(1))).isEqualTo(dropped(DropReason.REPEATED));
    assertThat(intake.take(entries.get(2))).isEqualTo(dropped(DropReason.REPEATED));
    assertThat(intake.take(entries.get(3))).isInstanceOf(Whole.class);
  }

  @Test
  void recordsOfAnOlderTermAreDroppedOnceANewerHasBegun() {
    List<JournalEntry> older = journal.term(1, 0).transaction(10).next();
    List<JournalEntry> newer = journal.term(2, 0).transaction(10).next();
    Intake intake = new Intake(JournalOffset.beginning(Position.ZERO));
    intake.take(newer.get(0));
    assertThat(intake.take(older.get(1))).isEqualTo(dropped(DropReason.OLDER_TERM));
    assertThat(intake.take(older.get(0))).isEqualTo(dropped(DropReason.OLDER_TERM));
    assertThat(intake.take(newer.get(1))).isInstanceOf(Whole.class);
  }

  @Test
  void aTermThatStartsAfterTheLastTransactionStopsTheTaskAndNamesBothPositions() {
    List<JournalEntry> entries = journal.term(1, 0).transaction(10).term(2, 0x20).next();
    Intake intake = new Intake(JournalOffset.beginning(Position.ZERO));
    intake.take(entries.get(0));
    intake.take(entries.get(1));
    assertThatThrownBy(() -> intake.take(entries.get(2)))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("0/20")
        .hasMessageContaining("0/A");
  }

  @Test
  void aTermWithoutItsBeginningIsSkipped() {
    List<JournalEntry> entries = journal.term(1, 0).transaction(10).next();
    Intake intake = new Intake(JournalOffset.beginning(Position.ZERO));
    assertThat(intake.take(entries.get(1))).isEqualTo(dropped(DropReason.AFTER_GAP));
  }

  @Test
  void anIncompleteTransactionIsDiscardedWhenTheNextTermBegins() {
    String wide = "x".repeat(600);
    List<JournalEntry> entries =
        journal.term(1, 0).transaction(10, insert(1, wide), insert(2, wide)).term(2, 0).next();
    Intake intake = new Intake(JournalOffset.beginning(Position.ZERO));
    intake.take(entries.get(0));
    assertThat(intake.take(entries.get(1))).isInstanceOf(Part.class);
    assertThat(intake.take(entries.get(entries.size() - 1)))
        .isEqualTo(new Dropped(DropReason.TERM_START, true));
  }

  @Test
  void aHoleInsideATransactionShowsAtTheNextRecord() {
    String wide = "x".repeat(600);
    List<JournalEntry> entries =
        journal
            .term(1, 0)
            .transaction(10, insert(1, wide), insert(2, wide), insert(3, wide), insert(4, wide))
            .next();
    Intake intake = new Intake(JournalOffset.beginning(Position.ZERO));
    intake.take(entries.get(0));
    assertThat(intake.take(entries.get(1))).isInstanceOf(Part.class);
    assertThat(intake.take(entries.get(3))).isEqualTo(new Dropped(DropReason.AFTER_GAP, true));
  }

  @Test
  void anEndThatCountsOtherwiseIsAHole() {
    List<JournalEntry> entries = journal.term(1, 0).transaction(10, insert(1, "a")).next();
    byte[] counts = entries.get(1).value().clone();
    // version, kind, term, transaction, first ordinal, count, flags, changes in all
    assertThat(counts[7]).isEqualTo((byte) 1);
    counts[7] = 2;
    Intake intake = new Intake(JournalOffset.beginning(Position.ZERO));
    intake.take(entries.get(0));
    assertThat(intake.take(new JournalEntry(1, counts))).isEqualTo(dropped(DropReason.AFTER_GAP));
  }

  @Test
  void aChangeInPiecesIsTakenOnlyWithAllItsPieces() {
    String large = "x".repeat(1_200_000);
    List<JournalEntry> entries =
        journal.term(1, 0).transaction(10, insert(1, large), insert(2, "b")).next();
    assertThat(entries).hasSize(5);
    Intake all = new Intake(JournalOffset.beginning(Position.ZERO));
    entries
        .subList(0, 4)
        .forEach(entry -> assertThat(all.take(entry)).isNotInstanceOf(Whole.class));
    assertThat(all.take(entries.get(4))).isInstanceOf(Whole.class);

    Intake holed = new Intake(JournalOffset.beginning(Position.ZERO));
    holed.take(entries.get(0));
    holed.take(entries.get(1));
    assertThat(holed.take(entries.get(3))).isEqualTo(new Dropped(DropReason.AFTER_GAP, true));
  }

  @Test
  void bytesThatAreNoJournalRecordStopTheTaskAndNameTheOffset() {
    Intake intake = new Intake(JournalOffset.beginning(Position.ZERO));
    assertThatThrownBy(() -> intake.take(new JournalEntry(77, new byte[] {9, 9})))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("offset 77");
  }

  private static Dropped dropped(DropReason reason) {
    return new Dropped(reason, false);
  }
}
