package dev.sluice.connector.api.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class VisibleTransactionsTest {
  private final VisibleTransactions snapshot = VisibleTransactions.parse("10:20:12,15");

  @Test
  void whatHadEndedIsShown() {
    assertThat(snapshot.shows(9)).isTrue();
    assertThat(snapshot.shows(10)).isTrue();
    assertThat(snapshot.shows(19)).isTrue();
  }

  @Test
  void whatWasRunningIsNotShown() {
    assertThat(snapshot.shows(12)).isFalse();
    assertThat(snapshot.shows(15)).isFalse();
  }

  @Test
  void whatBeganLaterIsNotShown() {
    assertThat(snapshot.shows(20)).isFalse();
    assertThat(snapshot.shows(1L << 40)).isFalse();
  }

  @Test
  void aTransactionWithoutAnIdIsNotKnownToBeShown() {
    assertThat(snapshot.shows(0)).isFalse();
  }

  @Test
  void aLaterSnapshotShowsAllThatAnEarlierOneShows() {
    VisibleTransactions later = VisibleTransactions.parse("12:22:12,21");
    assertThat(later.showsAllOf(snapshot)).isTrue();
    assertThat(snapshot.showsAllOf(later)).isFalse();
    assertThat(snapshot.showsAllOf(snapshot)).isTrue();
    assertThat(VisibleTransactions.parse("10:20:12,14,15").showsAllOf(snapshot)).isFalse();
  }

  @Test
  void theTextIsPostgresqls() {
    assertThat(snapshot).hasToString("10:20:12,15");
    assertThat(VisibleTransactions.parse("7:7:")).hasToString("7:7:");
    assertThatThrownBy(() -> VisibleTransactions.parse("7:7"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a snapshot: 7:7");
  }
}
