package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.SourceEvent;
import dev.sluice.connector.mariadb.capture.BinlogDecoder;
import dev.sluice.connector.mariadb.capture.LoggedGtids;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.Gtid;
import dev.sluice.connector.mariadb.capture.position.GtidBookmark;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.capture.succession.Succession.At;
import dev.sluice.connector.mariadb.capture.succession.Succession.Refused;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the place in the log of a MariaDB server where a task continues that read another server's
 * log before: after it are exactly the transactions that the task lacks. From there to its end the
 * log must have each number of a domain once, since a replica may have applied a transaction and
 * not logged it. Used by one thread.
 */
final class SwitchSearch {
  private final LogServer server;
  private final LogBeginnings beginnings;
  private final GtidBookmark then;
  private final SameTransactions same;

  /**
   * @param server as it answered just before
   * @param then the transactions that the task has
   */
  SwitchSearch(LogServer server, LogBeginnings beginnings, GtidBookmark then) {
    this.server = server;
    this.beginnings = beginnings;
    this.then = then;
    this.same = new SameTransactions(then);
  }

  /**
   * Finds the place.
   *
   * @throws SluiceException.Retryable if the log cannot be read at present
   */
  Succession find(Connection session) throws SQLException {
    MariadbQuery query = new MariadbQuery(session);
    Optional<Problem> unfit = ReplicaSettings.problem(query);
    if (unfit.isPresent()) {
      return new Refused(unfit.get());
    }
    List<Gtid> older = ofBackup(query);
    List<String> files = query.rows("SHOW BINARY LOGS").stream().map(row -> row[0]).toList();
    List<Gtid> oldest = List.of();
    for (int i = files.size() - 1; i >= 0; i--) {
      oldest = new ArrayList<>(beginnings.gtidsBefore(files.get(i)));
      oldest.addAll(older);
      // The time of the last common transaction has to be read, so it must be in this file.
      if (same.beyond(oldest).isEmpty() && !oldest.contains(then.last())) {
        return scan(files.get(i), oldest, query);
      }
    }
    return new Refused(
        refusal(
            "its oldest file %s begins after %s"
                .formatted(files.isEmpty() ? "" : files.get(0), shown(oldest)),
            "the log from %s on, the last transaction that the task has".formatted(then.last())));
  }

  /**
   * The last transactions of domains that are only in the backup from which the server was created:
   * its log never had them, and nothing was logged in these domains since.
   */
  private List<Gtid> ofBackup(MariadbQuery query) throws SQLException {
    // A transaction is in the log before it is applied. So those that were read first are applied
    // now.
    List<Gtid> applied = gtids(query, "gtid_slave_pos");
    List<Gtid> logged = gtids(query, "gtid_binlog_state");
    return applied.stream()
        .filter(each -> same.isLast(each) && !each.equals(then.last()))
        .filter(
            each ->
                logged.stream()
                    .noneMatch(
                        other ->
                            other.domain() == each.domain() && other.number() <= each.number()))
        .toList();
  }

  private static List<Gtid> gtids(MariadbQuery query, String variable) throws SQLException {
    String found = query.row("SELECT @@global." + variable).orElseThrow()[0];
    return Gtid.parseAll(found == null ? "" : found);
  }

  private Succession scan(String file, List<Gtid> before, MariadbQuery query) throws SQLException {
    Scan scan = new Scan(file, before);
    try {
      beginnings.read(file, scan::goesOn);
    } catch (SluiceException.Fatal e) {
      return new Refused(
          refusal(
              "its log cannot be read after %s: %s".formatted(scan.reached(), text(e)),
              "a log that can be read"));
    }
    Optional<Gtid> missing = scan.missing();
    if (missing.isPresent() && isReceived(missing.get(), query)) {
      throw Succession.applying("its log ends before " + missing.get());
    }
    return scan.result();
  }

  /** Whether it has received the transaction from another server, and still applies it. */
  private static boolean isReceived(Gtid wanted, MariadbQuery query) throws SQLException {
    for (Map<String, String> connection : query.named("SHOW ALL SLAVES STATUS")) {
      if (connection.getOrDefault("Slave_SQL_Running", "").equals("Yes")
          && Gtid.parseAll(connection.getOrDefault("Gtid_IO_Pos", "")).stream()
              .anyMatch(
                  each -> each.domain() == wanted.domain() && each.number() >= wanted.number())) {
        return true;
      }
    }
    return false;
  }

  private static String text(SluiceException.Fatal error) {
    return error.problems().isEmpty() ? error.getMessage() : error.problems().get(0).found();
  }

  private static String shown(List<Gtid> gtids) {
    return gtids.isEmpty()
        ? "no transaction"
        : String.join(", ", gtids.stream().map(Gtid::toString).toList());
  }

  private static Problem refusal(String found, String expected) {
    return ReplicaSettings.problem(found, expected);
  }

  /** Follows the transactions of a log with a decoder that captures no table. */
  private final class Scan {
    private final LoggedGtids gtids;
    private final BinlogDecoder decoder;

    /** The last number of each domain after the place. */
    private final Map<Long, Long> numbers = new HashMap<>();

    private long seen;
    private boolean sameTime;
    private BinlogPosition place;
    private Problem problem;

    Scan(String file, List<Gtid> before) {
      this.gtids = LoggedGtids.behind(before);
      this.decoder =
          BinlogDecoder.ofTransactions(
                  server,
                  BinlogPosition.of(file, BinlogPosition.FIRST_EVENT),
                  new LogHistory(server.base(), beginnings.secondsOf(file), ""))
              .naming(gtids);
    }

    BinlogPosition reached() {
      return decoder.boundary();
    }

    boolean goesOn(LogEvent event) {
      decoder.decode(event);
      for (SourceEvent any : decoder.take().events()) {
        if (gtids.count() > seen) {
          seen = gtids.count();
          transaction(gtids.last().orElseThrow());
        }
        if (place == null && problem == null && same.areBehind(gtids.all())) {
          found(((SourceEvent.Committed) any).position());
        }
      }
      return problem == null && decoder.boundary().compareTo(server.end()) < 0;
    }

    private void transaction(Gtid gtid) {
      if (place == null) {
        sameTime |= gtid.equals(then.last()) && gtids.seconds() == then.seconds();
        same.beyond(List.of(gtid))
            .ifPresent(
                foreign ->
                    problem =
                        refusal(
                            "its log has transaction %s before the last one that the task has"
                                .formatted(foreign),
                            "transaction %s, and none that the task lacks before it"
                                .formatted(last())));
        return;
      }
      long expected = numbers.getOrDefault(gtid.domain(), 0L) + 1;
      if (gtid.number() != expected) {
        problem =
            refusal(
                "its log has transaction %s where the one with number %d of domain %d is to come"
                    .formatted(gtid, expected, gtid.domain()),
                "all transactions of the domain, one after the other: what a replica applied and"
                    + " did not log is missing");
      }
      numbers.put(gtid.domain(), gtid.number());
    }

    private void found(Position end) {
      if (!sameTime) {
        problem =
            refusal(
                "its transaction %s was executed at another time than the one that the task has"
                    .formatted(then.last()),
                "the same transaction: GTIDs were given again, or it was a replica of another"
                    + " server");
        return;
      }
      place = BinlogPosition.of(end);
      gtids.all().forEach(each -> numbers.merge(each.domain(), each.number(), Math::max));
    }

    Succession result() {
      if (problem != null) {
        return new Refused(problem);
      }
      return place == null
          ? new Refused(
              refusal(
                  "its log ends after %s".formatted(shown(gtids.all())),
                  "transaction %s, which target or journal have".formatted(last())))
          : new At(place);
    }

    /** A transaction that may still be logged; empty if the log has the place, or never will. */
    Optional<Gtid> missing() {
      return problem == null && place == null ? same.missing(gtids.all()) : Optional.empty();
    }

    private Gtid last() {
      return same.missing(gtids.all()).orElse(then.last());
    }
  }
}
