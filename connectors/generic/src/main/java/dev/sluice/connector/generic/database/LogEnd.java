package dev.sluice.connector.generic.database;

import dev.sluice.connector.generic.record.Bookmark;

/** What the source's log had at a moment. Immutable. */
@FunctionalInterface
public interface LogEnd {

  /** Whether a capture that has come to the bookmark has read all of it. */
  boolean isReachedBy(Bookmark bookmark);
}
