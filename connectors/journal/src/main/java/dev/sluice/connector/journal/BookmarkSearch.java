package dev.sluice.connector.journal;

import dev.sluice.connector.api.JournalRecord;
import java.util.Optional;

/**
 * Finds the bookmark of one transaction of one term. Another term may have the same position with
 * another bookmark, and the sink has dropped it. Pure; owned by the thread that reads.
 */
final class BookmarkSearch {
  private final long term;
  private final long transaction;
  private String bookmark = "";

  BookmarkSearch(long term, long transaction) {
    this.term = term;
    this.transaction = transaction;
  }

  void add(JournalRecord record) {
    if (record instanceof JournalRecord.Frame frame
        && frame.end() != null
        && frame.term() == term
        && frame.transaction() == transaction) {
      bookmark = frame.end().bookmark();
    }
  }

  Optional<String> found() {
    return Optional.of(bookmark).filter(text -> !text.isEmpty());
  }
}
