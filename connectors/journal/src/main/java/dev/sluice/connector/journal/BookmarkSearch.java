package dev.sluice.connector.journal;

import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.Position;
import java.util.Optional;

/**
 * Finds the bookmark of the end at a position: that of the newest term which has it. Pure; owned by
 * the thread that reads.
 */
final class BookmarkSearch {
  private final Position position;
  private long term = -1;
  private String bookmark = "";

  BookmarkSearch(Position position) {
    this.position = position;
  }

  void add(JournalRecord record) {
    if (record instanceof JournalRecord.Frame frame
        && frame.end() != null
        && frame.end().position().equals(position)
        && frame.term() > term) {
      term = frame.term();
      bookmark = frame.end().bookmark();
    }
  }

  Optional<String> found() {
    return Optional.of(bookmark).filter(text -> !text.isEmpty());
  }
}
