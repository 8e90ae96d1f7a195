package dev.sluice.connector.mariadb.capture.position;

import java.util.Optional;

/**
 * Names the transactions of the log that are before a position, as the position's record in the
 * journal has them. With it the place can be found in the log of another server. Immutable.
 */
public sealed interface LogBookmark permits GtidBookmark, GtidSetBookmark {
  /**
   * Reads a bookmark.
   *
   * @param text of the journal; empty, or of another source, if there is none
   * @return empty if it does not name transactions of MariaDB or MySQL
   */
  static Optional<LogBookmark> parse(String text) {
    Optional<GtidSetBookmark> ofMysql = GtidSetBookmark.parse(text);
    return ofMysql.isPresent()
        ? ofMysql.map(LogBookmark.class::cast)
        : GtidBookmark.parse(text).map(LogBookmark.class::cast);
  }

  /** The GTID of the last transaction before the position. */
  String lastGtid();
}
