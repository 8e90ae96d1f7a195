package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.GtidSet;
import dev.sluice.connector.mariadb.capture.position.GtidSetBookmark;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.position.MysqlGtid;
import dev.sluice.connector.mariadb.capture.position.MysqlTransaction;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * A capture that resumes knows the transactions before its start from the journal. Any other one
 * reads them: each file of the log begins with a list of the transactions in all files before it.
 * Missing there are those that never were in this log, since the server was created from a backup;
 * these are among the purged ones. The server is asked for the purged ones before the file is read,
 * so they include none after the start.
 */
/**
 * Collects the transactions of MySQL's log that were read or are before the start. Owned by the
 * thread that reads the log.
 */
final class LoggedGtidSet implements LoggedTransactions {
  private static final Logger LOG = LoggerFactory.getLogger(LoggedGtidSet.class);

  private final GtidSet all;
  private MysqlTransaction begun;

  /** Whether the list at the beginning of the file was read. */
  private boolean begins;

  private MysqlGtid last;
  private long commitMicros;

  /** Whether a transaction had no GTID: then the set is incomplete. */
  private boolean anonymous;

  /** Null until it is needed: most transactions of a log may be of other databases. */
  private String bookmark;

  private LoggedGtidSet(GtidSet all) {
    this.all = all;
  }

  static LoggedGtidSet behind(GtidSetBookmark bookmark) {
    LoggedGtidSet gtids = new LoggedGtidSet(bookmark.all());
    gtids.last = bookmark.last();
    gtids.commitMicros = bookmark.commitMicros();
    return gtids;
  }

  /**
   * For a start of which nothing is known: reads the file up to the start.
   *
   * @param server asked before
   * @param start a place that its log has
   * @param history of that place
   * @return {@link LoggedTransactions#unknown} if the file cannot be read
   */
  static LoggedTransactions upTo(
      LogServer server, LogBeginnings beginnings, BinlogPosition start, LogHistory history) {
    LoggedGtidSet gtids = new LoggedGtidSet(GtidSet.parse(server.purged()));
    // The first event also shows whether the file belongs to the expected history.
    BinlogDecoder decoder =
        BinlogDecoder.ofTransactions(
                server, start.at(BinlogPosition.FIRST_EVENT), history.withoutTransaction())
            .naming(gtids);
    try {
      beginnings.read(
          start.fileName(server.base()),
          event -> {
            if (!gtids.begins && EventType.beginsTransactionOfMysql(event.type())) {
              throw new SluiceException.Fatal(
                  "the file does not begin with the transactions before it", null);
            }
            decoder.decode(event);
            decoder.take();
            if (event.type() == EventType.MYSQL_PREVIOUS_GTIDS) {
              gtids.all.addAll(GtidSet.read(event.body()));
              gtids.begins = true;
            }
            return !gtids.begins || decoder.boundary().compareTo(start) < 0;
          });
      return gtids;
    } catch (SluiceException.Fatal e) {
      LOG.warn(
          "a replica cannot take over for the source: the log before the start could not be read: {}",
          e.getMessage());
      return LoggedTransactions.unknown();
    }
  }

  @Override
  public void begin(MysqlTransaction transaction) {
    begun = transaction;
  }

  @Override
  public void committed(BinlogPosition boundary) {
    if (begun == null) {
      return;
    }
    if (begun.gtid().isPresent()) {
      last = begun.gtid().get();
      commitMicros = begun.firstCommitMicros();
      all.add(last);
    } else {
      anonymous = true;
    }
    begun = null;
    bookmark = null;
  }

  @Override
  public String bookmark() {
    if (bookmark == null) {
      bookmark =
          anonymous || last == null || commitMicros == 0
              ? ""
              : new GtidSetBookmark(last, commitMicros, all.toString()).toString();
    }
    return bookmark;
  }
}
