package dev.sluice.connector.api;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What the end of a transaction tells. Immutable.
 *
 * @param changes how many the transaction has
 * @param position its place in the source's log
 * @param commitMicros when the source committed it, microseconds since 1970
 */
public record TransactionEnd(long changes, Position position, long commitMicros) {
  public Instant commitTime() {
    return Instant.EPOCH.plus(commitMicros, ChronoUnit.MICROS);
  }
}
