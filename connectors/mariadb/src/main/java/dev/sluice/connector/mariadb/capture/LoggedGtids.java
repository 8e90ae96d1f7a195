package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.Gtid;
import dev.sluice.connector.mariadb.capture.position.GtidBookmark;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/*
 * A capture that goes on knows the transactions before its start from the journal. Another one asks
 * the server for those of the whole log, and for the log's end after that. Behind that end it has
 * read all that was written since its start. So what it has not read was there before the start.
 */
/**
 * Which transactions of MariaDB's log were read or stand before the start: of each server in each
 * domain the last one. Owned by the thread that reads the log.
 */
public final class LoggedGtids implements LoggedTransactions {
  private record Origin(long domain, long server) {
    static Origin of(Gtid gtid) {
      return new Origin(gtid.domain(), gtid.server());
    }
  }

  private final Map<Origin, Gtid> all = new LinkedHashMap<>();
  private final List<Gtid> present;
  private final Optional<BinlogPosition> end;
  private boolean known;
  private Gtid begun;

  /** When the first statement of the open transaction was executed; empty before its event. */
  private OptionalLong executed = OptionalLong.empty();

  private Gtid last;
  private long count;
  private long seconds;

  /** Null until it is asked for: most transactions of a log may be of other databases. */
  private String bookmark;

  private LoggedGtids(List<Gtid> before, List<Gtid> present, Optional<BinlogPosition> end) {
    before.forEach(each -> all.put(Origin.of(each), each));
    this.present = List.copyOf(present);
    this.end = end;
  }

  /** From a start behind exactly these transactions. */
  public static LoggedGtids behind(GtidBookmark bookmark) {
    LoggedGtids gtids = behind(bookmark.all());
    gtids.last = bookmark.last();
    gtids.seconds = bookmark.seconds();
    return gtids;
  }

  /** The same if it is not known when the last one was executed. */
  public static LoggedGtids behind(List<Gtid> before) {
    LoggedGtids gtids = new LoggedGtids(before, List.of(), Optional.empty());
    gtids.known = true;
    return gtids;
  }

  /**
   * From a start of which nothing is known.
   *
   * @param present those of the whole log
   * @param end of the log, asked after them
   */
  static LoggedGtids upTo(List<Gtid> present, BinlogPosition end) {
    return new LoggedGtids(List.of(), present, Optional.of(end));
  }

  @Override
  public void begin(Gtid gtid) {
    begun = gtid;
    executed = OptionalLong.empty();
  }

  /**
   * An event in the log. Only the time of a transaction's first one is that of the primary on
   * replicas, too: one that is applied has another time at its end.
   */
  @Override
  public void event(long time) {
    if (begun != null && executed.isEmpty()) {
      executed = OptionalLong.of(time);
    }
  }

  @Override
  public void committed(BinlogPosition boundary) {
    if (begun != null) {
      all.put(Origin.of(begun), begun);
      last = begun;
      count++;
      seconds = executed.orElse(0);
      begun = null;
      bookmark = null;
    }
    reach(boundary);
  }

  @Override
  public void reach(BinlogPosition boundary) {
    if (!known && end.isPresent() && boundary.compareTo(end.get()) >= 0) {
      present.forEach(each -> all.putIfAbsent(Origin.of(each), each));
      known = true;
      bookmark = null;
    }
  }

  @Override
  public String bookmark() {
    if (bookmark == null) {
      bookmark = known && last != null ? new GtidBookmark(last, seconds, all()).toString() : "";
    }
    return bookmark;
  }

  /** Of each server in each domain the last one. */
  public List<Gtid> all() {
    return new ArrayList<>(all.values());
  }

  /** The last one that was read; empty before the first. */
  public Optional<Gtid> last() {
    return Optional.ofNullable(last);
  }

  /** How many were read: one may stand twice. */
  public long count() {
    return count;
  }

  /** When its first statement was executed, seconds since 1970. */
  public long seconds() {
    return seconds;
  }
}
