package dev.sluice.connector.api;

/** Bytes of the journal that no publisher writes. A retry cannot succeed. */
public final class CorruptJournalException extends RuntimeException {
  public CorruptJournalException(String message) {
    super(message);
  }
}
