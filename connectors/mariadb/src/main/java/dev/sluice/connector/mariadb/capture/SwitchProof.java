package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.source.AppliedJournal;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.journal.Journal;

/**
 * Proves at the first capture of another server that the journal still ends where the start found
 * it. An earlier daemon may have written since then what it read from the former server: the new
 * capture would bring it once more, behind it. What comes after the term's first record the sink
 * drops, so all before it is read. Stateless.
 */
final class SwitchProof {
  private SwitchProof() {}

  /**
   * Returns if the journal has nothing behind the position at which the start found its end.
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
                    "the journal got more since the start was decided, up to %s: another daemon of the task wrote it"
                        .formatted(last),
                    null);
              });
    }
  }
}
