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
 * A capture that resumes knows the transactions before its start from the journal. Any other one
 * asks the server for those of the complete log, and then for the log's end. When it has passed
 * that end, it has read everything that was written since its start. So transactions that it has
 * not read were there before the start.
 */
/**
 * Collects the transactions of MariaDB's log that were read or are before the start: the last one
 * of each server in each domain. Owned by the thread that reads the log.
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

  /** From a start after exactly these transactions. */
  public static LoggedGtids behind(GtidBookmark bookmark) {
    LoggedGtids gtids = behind(bookmark.all());
    gtids.last = bookmark.last();
    gtids.seconds = bookmark.seconds();
    return gtids;
  }

  /** The same if the time of the last one is not known. */
  public static LoggedGtids behind(List<Gtid> before) {
    LoggedGtids gtids = new LoggedGtids(before, List.of(), Optional.empty());
    gtids.known = true;
    return gtids;
  }

  /**
   * For a start of which nothing is known.
   *
   * @param present the transactions of the complete log
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
   * An event in the log. Only the first event of a transaction has the primary's time on replicas,
   * too: the last one has the time when the replica applied it.
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

  /** The last one of each server in each domain. */
  public List<Gtid> all() {
    return new ArrayList<>(all.values());
  }

  /** The last one that was read; empty before the first. */
  public Optional<Gtid> last() {
    return Optional.ofNullable(last);
  }

  /** How many were read; a GTID may occur twice. */
  public long count() {
    return count;
  }

  /** When its first statement was executed, seconds since 1970. */
  public long seconds() {
    return seconds;
  }
}
