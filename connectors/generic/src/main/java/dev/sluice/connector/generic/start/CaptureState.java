package dev.sluice.connector.generic.start;

import dev.sluice.connector.api.Position;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * How far the captures of this process have come. The source stores no such position: the target's
 * checkpoint and the journal do. Threadsafe.
 */
public final class CaptureState {
  private volatile Supplier<Position> position;
  private volatile Map<String, Object> place;

  /** The position from which changes are still to be journaled; empty before the first start. */
  public Optional<Position> position() {
    Supplier<Position> known = position;
    return known == null ? Optional.empty() : Optional.of(known.get());
  }

  /** A task begins here. */
  void begin(Position at) {
    position = () -> at;
    place = null;
  }

  /**
   * The task begins at a place, and not with a snapshot.
   *
   * @param offset that Debezium is given
   * @return the position of the place
   */
  Position beginAt(Map<String, Object> offset, Instant now) {
    Position at =
        AttemptPosition.placeOf(position().orElseGet(() -> AttemptPosition.beginning(now)));
    begin(at);
    place = offset;
    return at;
  }

  /** Debezium's offset at the place where the task begins; empty if it begins at none. */
  Optional<Map<String, Object>> place() {
    return Optional.ofNullable(place);
  }

  /**
   * A capture goes on.
   *
   * @param acknowledged its progress
   */
  public void follow(Position start, Supplier<Position> acknowledged) {
    position = () -> start.max(acknowledged.get());
  }

  /** Returns whether there was a position. */
  boolean forget() {
    boolean known = position != null;
    position = null;
    place = null;
    return known;
  }
}
