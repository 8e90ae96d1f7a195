package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.RowFailure.ReadAt;
import dev.sluice.sink.control.validation.TableCoverage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The state of a table, by DMS's names: only a proven table is called Validated. */
class TableStateTest {
  private static final TableId TABLE = new TableId("public", "item");
  private static final Instant NOW = Instant.EPOCH.plus(Duration.ofDays(1));
  private static final Duration DELAY = Duration.ofMinutes(5);

  private static final TableCoverage UNREAD = TableCoverage.none(TABLE, "");
  private static final TableCoverage READ =
      UNREAD.read(new Position(100), 2, Optional.empty(), Instant.EPOCH);

  @Test
  void aTableThatIsReadFollowedAndUntouchedIsValidated() {
    assertThat(state(table(READ, List.of(), 0, true))).isEqualTo(DmsState.VALIDATED);
  }

  @Test
  void aTableWithRowsThatWereChangedAndNotComparedHasPendingRecords() {
    assertThat(state(table(READ, List.of(), 1, true))).isEqualTo(DmsState.PENDING_RECORDS);
  }

  @Test
  void aTableThatNoSessionCanCompareIsInErrorWhateverWasReadOfIt() {
    for (TableCoverage coverage : List.of(UNREAD, READ)) {
      TableState refused =
          new TableState(
              TABLE,
              List.of("id"),
              coverage,
              List.of(),
              0,
              true,
              List.of(),
              Optional.of("no right to read it"),
              true,
              Optional.empty());
      assertThat(state(refused)).isEqualTo(DmsState.TABLE_ERROR);
    }
  }

  @Test
  void aTableThatIsOnlyLockedForTheMomentKeepsItsState() {
    TableState blocked =
        new TableState(
            TABLE,
            List.of("id"),
            READ,
            List.of(),
            0,
            true,
            List.of(),
            Optional.of("it is locked"),
            false,
            Optional.empty());
    assertThat(state(blocked)).isEqualTo(DmsState.VALIDATED);
  }

  @Test
  void aTableThatIsNotComparedAnyMoreIsInError() {
    assertThat(state(table(READ.suspendedFor("too many"), List.of(), 0, true)))
        .isEqualTo(DmsState.TABLE_ERROR);
  }

  @Test
  void aTableThatWasNotReadIsPendingAlsoIfItsRowsAreTouched() {
    assertThat(state(table(UNREAD, List.of(), 7, false))).isEqualTo(DmsState.PENDING_VALIDATION);
  }

  @Test
  void aTableIsReadAgainIfItIsNotFollowedOrItsProofIsOld() {
    assertThat(state(table(READ, List.of(), 1, false))).isEqualTo(DmsState.PENDING_REVALIDATION);
    assertThat(table(READ, List.of(), 0, true).state(DELAY, true, NOW))
        .isEqualTo(DmsState.PENDING_REVALIDATION);
  }

  @Test
  void aRowIsPendingUntilItDiffersInTheSameWayOrHasChangedForLong() {
    assertThat(state(table(READ, List.of(row(1, NOW)), 0, true)))
        .isEqualTo(DmsState.PENDING_RECORDS);
    assertThat(state(table(READ, List.of(row(1, NOW.minus(DELAY))), 0, true)))
        .isEqualTo(DmsState.SUSPENDED_RECORDS);
    assertThat(state(table(READ, List.of(row(2, NOW)), 0, true)))
        .isEqualTo(DmsState.MISMATCHED_RECORDS);
  }

  @Test
  void aTableWithoutAKeyThatIsNotComparedSaysSo() {
    TableState exempt =
        new TableState(
            TABLE,
            List.of(),
            UNREAD,
            List.of(),
            0,
            false,
            List.of(),
            Optional.empty(),
            false,
            Optional.of("it has no key"));
    assertThat(state(exempt)).isEqualTo(DmsState.NO_PRIMARY_KEY);
  }

  private static DmsState state(TableState table) {
    return table.state(DELAY, false, NOW);
  }

  private static TableState table(
      TableCoverage coverage, List<RowFailure> failures, int touched, boolean followed) {
    return new TableState(
        TABLE,
        List.of("id"),
        coverage,
        failures,
        touched,
        followed,
        List.of(),
        Optional.empty(),
        false,
        Optional.empty());
  }

  private static RowFailure row(int sessions, Instant changingSince) {
    return new RowFailure(
        TABLE,
        TABLE,
        FailureKind.RECORD_DIFF,
        "{}",
        Optional.empty(),
        Optional.empty(),
        "{}",
        new ReadAt(new Position(1), new Position(1)),
        sessions,
        Optional.of(changingSince),
        Optional.empty());
  }
}
