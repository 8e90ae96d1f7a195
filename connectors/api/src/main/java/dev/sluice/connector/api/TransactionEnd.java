package dev.sluice.connector.api;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The end of a transaction in the journal. Immutable.
 *
 * @param changes number of changes of the transaction
 * @param position its position in the source's log
 * @param commitMicros its commit time on the source, microseconds since 1970
 * @param transactionId the source's id of the transaction, by which a snapshot there tells whether
 *     it shows it; 0 if the source has none
 */
public record TransactionEnd(
    long changes, Position position, long commitMicros, long transactionId) {
  public Instant commitTime() {
    return Instant.EPOCH.plus(commitMicros, ChronoUnit.MICROS);
  }
}
