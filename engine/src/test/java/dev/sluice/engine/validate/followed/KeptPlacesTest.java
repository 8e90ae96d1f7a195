package dev.sluice.engine.validate.followed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KeptPlacesTest {
  private final KeptPlaces places = new KeptPlaces(at(10));

  @Test
  void theNewestPlaceBeforeATransactionIsTaken() {
    places.add(at(20));
    places.add(at(30));
    assertThat(places.before(Optional.of(new Position(30)))).isEqualTo(at(20));
    assertThat(places.before(Optional.of(new Position(31)))).isEqualTo(at(30));
  }

  @Test
  void withoutATransactionTheNewestPlaceIsTaken() {
    places.add(at(20));
    assertThat(places.before(Optional.empty())).isEqualTo(at(20));
    assertThat(places.first()).isEqualTo(at(20));
  }

  @Test
  void aPlaceThatWasLeftDoesNotComeBack() {
    places.add(at(20));
    places.before(Optional.empty());
    places.add(at(15));
    assertThat(places.newest()).isEqualTo(at(20));
    assertThat(places.before(Optional.of(new Position(12)))).isEqualTo(at(20));
  }

  @Test
  void ofManyPlacesSomeBeforeEachTransactionAreKept() {
    for (int i = 11; i <= 100_000; i++) {
      places.add(at(i));
    }
    assertThat(places.first()).isEqualTo(at(10));
    assertThat(places.newest()).isEqualTo(at(100_000));
    JournalOffset half = places.before(Optional.of(new Position(50_000)));
    assertThat(half.position()).isLessThan(new Position(50_000));
    assertThat(half.position()).isGreaterThan(new Position(40_000));
  }

  @Test
  void theFirstPlaceStaysUntilItIsLeftHoweverManyFollow() {
    for (int i = 11; i <= 5_000; i++) {
      places.add(at(i));
    }
    assertThat(places.before(Optional.of(new Position(4_999)))).isNotEqualTo(at(5_000));
    JournalOffset left = places.before(Optional.empty());
    assertThat(left).isEqualTo(at(5_000));
    places.add(at(5_001));
    places.add(at(5_002));
    assertThat(places.before(Optional.of(new Position(5_001)))).isEqualTo(at(5_000));
  }

  private static JournalOffset at(long position) {
    return new JournalOffset(new Position(position), 1, position, position);
  }
}
