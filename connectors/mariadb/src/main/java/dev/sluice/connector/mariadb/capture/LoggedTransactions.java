package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.Gtid;
import dev.sluice.connector.mariadb.capture.position.GtidBookmark;
import dev.sluice.connector.mariadb.capture.position.GtidSetBookmark;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import dev.sluice.connector.mariadb.capture.position.MysqlTransaction;

/**
 * Listener for the transactions that are read from the log. Knows which ones were read or are
 * before the start. Owned by the thread that reads the log.
 */
public interface LoggedTransactions {
  /** For a log without GTIDs, or if nobody needs them. */
  static LoggedTransactions unknown() {
    return () -> "";
  }

  /** For a start after exactly these transactions. */
  static LoggedTransactions behind(LogBookmark bookmark) {
    return bookmark instanceof GtidBookmark ofMariadb
        ? LoggedGtids.behind(ofMariadb)
        : LoggedGtidSet.behind((GtidSetBookmark) bookmark);
  }

  /** A transaction of MariaDB begins. */
  default void begin(Gtid gtid) {}

  /** A transaction of MySQL begins. */
  default void begin(MysqlTransaction transaction) {}

  /** An event in the log, with its time. */
  default void event(long time) {}

  /**
   * The transaction is complete.
   *
   * @param boundary what was read so far
   */
  default void committed(BinlogPosition boundary) {}

  /** Everything before this place was read. */
  default void reach(BinlogPosition boundary) {}

  /** The text of a {@link LogBookmark}; empty while not everything is known. */
  String bookmark();
}
