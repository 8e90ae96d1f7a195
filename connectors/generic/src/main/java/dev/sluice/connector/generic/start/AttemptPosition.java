package dev.sluice.connector.generic.start;

import dev.sluice.connector.api.Position;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The positions of this source: the upper half says which attempt at a snapshot it belongs to, by
 * the microseconds since 1970, the lower half counts what was journaled since then. So a snapshot
 * that begins again has none of the positions of the one before. Stateless.
 */
public final class AttemptPosition {
  private AttemptPosition() {}

  /** Before everything of an attempt that begins now. */
  static Position beginning(Instant now) {
    return new Position(ChronoUnit.MICROS.between(Instant.EPOCH, now), 0);
  }

  /** That of the place at which the attempt of a position begins, whose bookmark is a note. */
  static Position placeOf(Position position) {
    return new Position(position.high(), 1);
  }

  /** When the attempt began that a position belongs to, by the clock of the machine. */
  public static Instant timeOf(Position position) {
    return Instant.EPOCH.plus(position.high(), ChronoUnit.MICROS);
  }

  /** The beginning of the attempt that a position belongs to. */
  public static Position beginningOf(Position position) {
    return new Position(position.high(), 0);
  }

  /** Whether nothing of the attempt was journaled, so that it begins, with a snapshot. */
  public static boolean isBeginning(Position position) {
    return position.low() == 0;
  }

  static boolean areOfOneAttempt(Position one, Position other) {
    return one.high() == other.high();
  }
}
