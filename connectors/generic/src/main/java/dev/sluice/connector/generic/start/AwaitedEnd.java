package dev.sluice.connector.generic.start;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.generic.database.LogEnd;
import dev.sluice.connector.generic.record.Bookmark;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The end of the source's log at a moment, and the first position at which a capture has come to
 * it. One thread asks the source, the capture's thread reports; safe for both.
 */
final class AwaitedEnd {
  /** More than that are not kept while the source answers: a later position is found then. */
  private static final int MOST_KEPT = 10_000;

  private final List<Sent> whileAsked = new ArrayList<>();
  private boolean asked;
  private LogEnd end;
  private Position found;

  /**
   * A capture begins.
   *
   * @param start of which the journal has all: what was found after it has another position now
   */
  synchronized void begin(Position start) {
    if (found != null && found.isAfter(start)) {
      found = null;
    }
    whileAsked.clear();
  }

  /** The source is asked. What is sent before its answer is known may be after the end. */
  synchronized void ask() {
    asked = true;
  }

  synchronized void fail() {
    asked = false;
    whileAsked.clear();
  }

  synchronized void answer(LogEnd answered) {
    asked = false;
    end = answered;
    whileAsked.forEach(sent -> sent(sent.position(), sent.bookmark()));
    whileAsked.clear();
  }

  /**
   * The capture has sent all up to a position.
   *
   * @param bookmark at the position
   */
  synchronized void sent(Position position, Bookmark bookmark) {
    if (asked) {
      if (whileAsked.size() < MOST_KEPT) {
        whileAsked.add(new Sent(position, bookmark));
      }
    } else if (isReachedBy(bookmark)) {
      find(position);
    }
  }

  /** Both threads may find it: the first one counts. */
  synchronized void find(Position position) {
    if (found == null) {
      found = position;
    }
  }

  synchronized boolean isKnown() {
    return end != null;
  }

  /** Whether the capture has yet to say when it has come to the end. */
  synchronized boolean isWaiting() {
    return asked || end != null && found == null;
  }

  /** Whether a capture that has come there is the first one at the end. */
  synchronized boolean isReachedBy(Bookmark bookmark) {
    return end != null && found == null && end.isReachedBy(bookmark);
  }

  synchronized Optional<Position> found() {
    return Optional.ofNullable(found);
  }

  private record Sent(Position position, Bookmark bookmark) {}
}
