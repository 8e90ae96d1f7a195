package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.source.AppliedJournal;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.journal.Journal;

/**
 * Proves at the first capture of another server that the journal still ends where the start found
 * its end. Since then an earlier daemon may have written transactions of the former server, which
 * the new capture would journal again. The sink skips its records after the new term's first
 * record, so only the records before that one are checked. Stateless.
 */
final class SwitchProof {
  private SwitchProof() {}

  /**
   * Returns if the journal has nothing after the position at which the start found its end.
   *
   * @param begun the journal's offset of the term's first record
   * @throws SluiceException.Retryable if the start has to be decided again
   */
  static void require(CaptureRequest request, long begun) {
    AppliedJournal applied = request.applied();
    try (Journal journal = new Journal(request.producerProperties(), request.topics())) {
      journal
          .tailBefore(begun, applied.nextOffset(), applied.term(), applied.transaction())
          .furthest()
          .map(TransactionEnd::position)
          .filter(last -> last.isAfter(request.start()))
          .ifPresent(
              last -> {
                throw new SluiceException.Retryable(
                    "since the start was decided, another daemon of the task wrote more into the journal, up to %s"
                        .formatted(last),
                    null);
              });
    }
  }
}
