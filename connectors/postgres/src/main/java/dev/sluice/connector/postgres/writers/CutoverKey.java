package dev.sluice.connector.postgres.writers;

import java.util.UUID;

/**
 * The advisory lock by which the sessions of one cutover exclude each other: the one that may still
 * decide it holds the lock until its transaction has ended. Stateless.
 */
final class CutoverKey {
  private CutoverKey() {}

  /** Takes the lock if it is free; a row says whether it was. */
  static String tryLock(UUID cutover) {
    return "SELECT pg_catalog.pg_try_advisory_xact_lock(%d)".formatted(of(cutover));
  }

  /** Waits for the lock. */
  static String lock(UUID cutover) {
    return "SELECT pg_catalog.pg_advisory_xact_lock(%d)".formatted(of(cutover));
  }

  private static long of(UUID cutover) {
    return cutover.getMostSignificantBits() ^ cutover.getLeastSignificantBits();
  }
}
