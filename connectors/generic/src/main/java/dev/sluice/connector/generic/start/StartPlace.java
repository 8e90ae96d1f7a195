package dev.sluice.connector.generic.start;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.generic.record.Bookmark;
import dev.sluice.connector.journal.SourceNotes;
import java.util.Map;
import java.util.Optional;

/**
 * The place at which an attempt begins that has no snapshot: the bookmark of its first position,
 * which no record of the journal has. It is beside the journal before the target has the position,
 * so each start up to the first record begins at the same place. Immutable.
 */
record StartPlace(Position position, Bookmark bookmark) {
  private static final String NAME = "place ";

  /**
   * @param topicPrefix of the connector, by which it knows its offset
   */
  static StartPlace of(Position position, String topicPrefix, Map<String, Object> offset) {
    return new StartPlace(position, new Bookmark("", Map.of("server", topicPrefix), offset));
  }

  void store(SourceNotes notes) {
    notes.write(NAME, Map.of(nameOf(position), bookmark.text()));
  }

  /** The bookmark of a position that is such a place; empty if it is none. */
  static Optional<Bookmark> stored(SourceNotes notes, Position position) {
    return position.equals(AttemptPosition.placeOf(position))
        ? Optional.ofNullable(notes.read(NAME).get(nameOf(position))).map(Bookmark::parse)
        : Optional.empty();
  }

  private static String nameOf(Position position) {
    return String.valueOf(position.high());
  }
}
