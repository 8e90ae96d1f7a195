package dev.sluice.connector.api;

/** Bytes of the journal that are not what any publisher writes. Never to be retried. */
public final class CorruptJournalException extends RuntimeException {
  public CorruptJournalException(String message) {
    super(message);
  }
}
