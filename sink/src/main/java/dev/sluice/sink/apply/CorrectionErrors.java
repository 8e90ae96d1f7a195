package dev.sluice.sink.apply;

import dev.sluice.config.document.SluiceException;

/** What the target's errors say about rows that are corrected. Threadsafe. */
public interface CorrectionErrors {

  /** Whether an error is about a row, so that the target may take others. */
  boolean isOfRow(SluiceException.Data error);

  /** Whether another transaction was faster, so that the same work may succeed at once. */
  boolean isOvertaken(SluiceException.Retryable error);

  /** Whether it says that another row has a value that is unique. */
  boolean isConflict(SluiceException.Data error);
}
