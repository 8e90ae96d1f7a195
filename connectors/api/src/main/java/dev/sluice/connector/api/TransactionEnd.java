package dev.sluice.connector.api;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The end of a transaction in the journal. Immutable.
 *
 * @param changes number of changes of the transaction
 * @param position its position in the source's log
 * @param commitMicros its commit time on the source, microseconds since 1970
 */
public record TransactionEnd(long changes, Position position, long commitMicros) {
  public Instant commitTime() {
    return Instant.EPOCH.plus(commitMicros, ChronoUnit.MICROS);
  }
}
