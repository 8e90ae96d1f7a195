package dev.sluice.engine.validate.followed;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Places in the journal from which it can be read again, in their order. Bounded: of many, every
 * other one is forgotten, and fewer are kept from then on, but always the first and the newest.
 * Pure.
 */
final class KeptPlaces {
  private static final int MOST = 1_000;

  private final List<JournalOffset> places = new ArrayList<>();

  /** One of so many places is kept. */
  private int every = 1;

  /** Places since the last one that is kept. */
  private int passed;

  /** Whether the newest place is not to be kept once another one comes. */
  private boolean passing;

  KeptPlaces(JournalOffset first) {
    places.add(first);
  }

  /** Adds a place that every lane has applied. */
  void add(JournalOffset place) {
    if (!place.position().isAfter(newest().position())) {
      return;
    }
    if (passing && places.size() > 1) {
      places.set(places.size() - 1, place);
    } else {
      places.add(place);
    }
    passing = ++passed < every;
    if (!passing) {
      passed = 0;
    }
    if (places.size() > MOST) {
      for (int i = places.size() - 2; i > 0; i -= 2) {
        places.remove(i);
      }
      every *= 2;
    }
  }

  JournalOffset first() {
    return places.get(0);
  }

  JournalOffset newest() {
    return places.get(places.size() - 1);
  }

  /**
   * The newest place after which the journal has a transaction, or the first place if none is so
   * early. Earlier places are forgotten.
   *
   * @param transaction empty if there is none to be read again
   */
  JournalOffset before(Optional<Position> transaction) {
    while (places.size() > 1
        && transaction.filter(at -> !at.isAfter(places.get(1).position())).isEmpty()) {
      places.remove(0);
    }
    if (places.size() == 1) {
      every = 1;
    }
    return places.get(0);
  }
}
