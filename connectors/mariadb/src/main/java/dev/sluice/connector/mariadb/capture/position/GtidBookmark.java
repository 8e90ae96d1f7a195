package dev.sluice.connector.mariadb.capture.position;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/*
 * As text: 0-1-4711@1700000000;0-1-4711,0-2-33
 *
 * After RESET MASTER a server gives its GTIDs again, so a GTID alone proves nothing. The time of the
 * first statement travels with a transaction to all replicas, and differs then.
 */
/**
 * Names the transactions of MariaDB's log that are before a position: the bookmark of the
 * position's record in the journal. With it the place can be found in the log of another server.
 * Immutable.
 *
 * @param last the last transaction before the position
 * @param seconds when its first statement was executed, seconds since 1970
 * @param all the last transaction before the position of each server in each domain
 */
public record GtidBookmark(Gtid last, long seconds, List<Gtid> all) implements LogBookmark {
  public GtidBookmark {
    all = List.copyOf(all);
  }

  /**
   * Reads a bookmark.
   *
   * @param text of the journal; empty, or of another source, if there is none
   * @return empty if it does not tell transactions of MariaDB
   */
  public static Optional<GtidBookmark> parse(String text) {
    int at = text.indexOf('@');
    int list = text.indexOf(';');
    if (at < 0 || list < at) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new GtidBookmark(
              Gtid.parse(text.substring(0, at)),
              Long.parseLong(text.substring(at + 1, list)),
              Gtid.parseAll(text.substring(list + 1))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @Override
  public String lastGtid() {
    return last.toString();
  }

  /** The text in the journal. */
  @Override
  public String toString() {
    return last
        + "@"
        + seconds
        + ";"
        + all.stream().map(Gtid::toString).collect(Collectors.joining(","));
  }
}
