package dev.sluice.connector.api;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * The end of a transaction in the journal. Immutable.
 *
 * @param changes number of changes of the transaction
 * @param position its position in the source's log
 * @param commitMicros its commit time on the source, microseconds since 1970
 * @param transactionId the source's id of the transaction, by which a snapshot there tells whether
 *     it shows it; 0 if the source has none
 * @param bookmark what the source needs to read on after this transaction, and only it can
 *     interpret; empty if the position says it
 */
public record TransactionEnd(
    long changes, Position position, long commitMicros, long transactionId, String bookmark) {
  public TransactionEnd {
    Objects.requireNonNull(position, "position");
    Objects.requireNonNull(bookmark, "bookmark");
  }

  /** The end of a transaction of a source that reads on by its positions. */
  public TransactionEnd(long changes, Position position, long commitMicros, long transactionId) {
    this(changes, position, commitMicros, transactionId, "");
  }

  public Instant commitTime() {
    return Instant.EPOCH.plus(commitMicros, ChronoUnit.MICROS);
  }
}
