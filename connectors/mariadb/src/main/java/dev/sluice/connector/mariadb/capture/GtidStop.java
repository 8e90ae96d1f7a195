package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.Gtid;
import dev.sluice.connector.mariadb.capture.position.MysqlTransaction;
import java.util.Optional;

/**
 * Looks for the end of the last of the transactions after which a task stops. It sees each
 * transaction before the journal has it, so that nothing after that end is applied before the end
 * is known. Fed by the thread that reads the log; the result may be read from any thread.
 */
public final class GtidStop implements LoggedTransactions {
  private static final BinlogPosition NOWHERE = new BinlogPosition(0, 0);

  /** Null for a task that does not stop after GTIDs. */
  private AwaitedGtids awaited;

  private Gtid begun;
  private MysqlTransaction begunOfMysql;

  /** Whether all were read. Then the last one ends at the next boundary. */
  private boolean complete;

  private BinlogPosition passed;
  private volatile BinlogPosition read = NOWHERE;
  private volatile BinlogPosition place;

  /**
   * Begins to look, even if an earlier capture has found the end: that may have read another
   * server's log. Called while no capture runs.
   *
   * @param those the transactions that are not before the start
   * @param from where the log is read
   */
  public void begin(AwaitedGtids those, BinlogPosition from) {
    awaited = those;
    complete = those.isEmpty();
    begun = null;
    begunOfMysql = null;
    passed = null;
    place = null;
    read = from;
  }

  boolean isAwaited() {
    return awaited != null;
  }

  /** Where the last of them ends; empty if it was not read yet. */
  public Optional<BinlogPosition> place() {
    return Optional.ofNullable(place);
  }

  /** The place up to which the log was read without finding the end. */
  public BinlogPosition read() {
    return read;
  }

  /** Where the first transaction after the place ends; empty if none was read. */
  public Optional<BinlogPosition> passed() {
    return Optional.ofNullable(passed);
  }

  @Override
  public void begin(Gtid gtid) {
    begun = gtid;
  }

  @Override
  public void begin(MysqlTransaction transaction) {
    begunOfMysql = transaction;
  }

  @Override
  public void committed(BinlogPosition boundary) {
    if (place != null) {
      passed = passed == null ? boundary : passed;
      return;
    }
    if (begun != null) {
      awaited.read(begun);
      begun = null;
    }
    if (begunOfMysql != null) {
      awaited.read(begunOfMysql);
      begunOfMysql = null;
    }
    complete = awaited.isEmpty();
    reach(boundary);
  }

  /** A transaction that ends beyond 4 GiB has its end at the beginning of the next file. */
  @Override
  public void reach(BinlogPosition boundary) {
    if (place != null || boundary.compareTo(read) <= 0) {
      return;
    }
    if (complete) {
      place = boundary;
    } else {
      read = boundary;
    }
  }

  @Override
  public String bookmark() {
    return "";
  }

  /** Passes everything on to another listener, which names the transactions. */
  LoggedTransactions beside(LoggedTransactions others) {
    return new LoggedTransactions() {
      @Override
      public void begin(Gtid gtid) {
        others.begin(gtid);
        GtidStop.this.begin(gtid);
      }

      @Override
      public void begin(MysqlTransaction transaction) {
        others.begin(transaction);
        GtidStop.this.begin(transaction);
      }

      @Override
      public void event(long time) {
        others.event(time);
      }

      @Override
      public void committed(BinlogPosition boundary) {
        others.committed(boundary);
        GtidStop.this.committed(boundary);
      }

      @Override
      public void reach(BinlogPosition boundary) {
        others.reach(boundary);
        GtidStop.this.reach(boundary);
      }

      @Override
      public String bookmark() {
        return others.bookmark();
      }
    };
  }
}
