package dev.sluice.connector.mariadb.capture.position;

import java.util.Optional;

/*
 * As text: UUID:4711@1700000000000000;UUID:1-4711,UUID:1-5:tag:1
 *
 * After RESET BINARY LOGS AND GTIDS a server gives its GTIDs again, so a GTID alone proves nothing.
 * The time of the first commit travels with a transaction to all replicas, and differs then.
 */
/**
 * Names the transactions of MySQL's log that are before a position. Immutable.
 *
 * @param last the last transaction before the position
 * @param commitMicros when it was committed on its first server, microseconds since 1970
 * @param executed all transactions before the position, as text: a {@link GtidSet}
 */
public record GtidSetBookmark(MysqlGtid last, long commitMicros, String executed)
    implements LogBookmark {
  public static Optional<GtidSetBookmark> parse(String text) {
    int at = text.indexOf('@');
    int list = text.indexOf(';');
    // The name of a transaction of MariaDB has no colon.
    if (at < 0 || list < at || !text.substring(0, at).contains(":")) {
      return Optional.empty();
    }
    try {
      GtidSetBookmark bookmark =
          new GtidSetBookmark(
              MysqlGtid.parse(text.substring(0, at)),
              Long.parseLong(text.substring(at + 1, list)),
              text.substring(list + 1));
      return bookmark.all().contains(bookmark.last()) ? Optional.of(bookmark) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** All transactions before the position, as a set of the caller. */
  public GtidSet all() {
    return GtidSet.parse(executed);
  }

  @Override
  public String lastGtid() {
    return last.toString();
  }

  /** The text in the journal. */
  @Override
  public String toString() {
    return last + "@" + commitMicros + ";" + executed;
  }
}
