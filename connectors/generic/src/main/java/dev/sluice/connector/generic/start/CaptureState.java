package dev.sluice.connector.generic.start;

import dev.sluice.connector.api.Position;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * How far the captures of this process have come. The source stores no such position: the target's
 * checkpoint and the journal do. Threadsafe.
 */
public final class CaptureState {
  private volatile Supplier<Position> position;

  /** The position from which changes are still to be journaled; empty before the first start. */
  public Optional<Position> position() {
    Supplier<Position> known = position;
    return known == null ? Optional.empty() : Optional.of(known.get());
  }

  /** A task begins here. */
  void begin(Position at) {
    position = () -> at;
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
    return known;
  }
}
