package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.journal.SourceEvent;
import dev.sluice.connector.mariadb.capture.BinlogDecoder;
import dev.sluice.connector.mariadb.capture.LoggedTransactions;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.GtidSet;
import dev.sluice.connector.mariadb.capture.position.GtidSetBookmark;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.position.MysqlGtid;
import dev.sluice.connector.mariadb.capture.position.MysqlTransaction;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.capture.succession.Succession.At;
import dev.sluice.connector.mariadb.capture.succession.Succession.Refused;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the place in the log of a MySQL server where a task continues that read another server's
 * log before. The place has exactly the task's transactions before it, in any order: a replica may
 * commit in another order. From there to its end the log must have all other transactions that the
 * server has executed. Used by one thread.
 */
final class MysqlSwitchSearch {
  private final LogServer server;
  private final LogBeginnings beginnings;
  private final GtidSetBookmark then;
  private final GtidSet have;

  /**
   * @param server as it answered just before
   * @param then the transactions that the task has
   */
  MysqlSwitchSearch(LogServer server, LogBeginnings beginnings, GtidSetBookmark then) {
    this.server = server;
    this.beginnings = beginnings;
    this.then = then;
    this.have = then.all();
  }

  /**
   * Finds the place.
   *
   * @throws SluiceException.Retryable if the log cannot be read at present
   */
  Succession find(Connection session) throws SQLException {
    MariadbQuery query = new MariadbQuery(session);
    Optional<Problem> unfit = MysqlReplicaSettings.problem(query);
    if (unfit.isPresent()) {
      return new Refused(unfit.get());
    }
    GtidSet lost = have.without(GtidSet.parse(server.executed()));
    if (!lost.isEmpty()) {
      if (lost.without(received(query)).isEmpty()) {
        throw Succession.applying("it has not executed " + lost);
      }
      return refused(
          "it has not executed " + lost, "these transactions, which target or journal have");
    }
    GtidSet purged = GtidSet.parse(server.purged());
    GtidSet unseen = purged.without(have);
    if (!unseen.isEmpty()) {
      return refused(
          "its log has no file with %s, which the task lacks".formatted(unseen),
          "a log with all that the task lacks");
    }
    List<String> files = query.rows("SHOW BINARY LOGS").stream().map(row -> row[0]).toList();
    GtidSet oldest = new GtidSet();
    for (int i = files.size() - 1; i >= 0; i--) {
      oldest = beginnings.setBefore(files.get(i)).addAll(purged);
      // The time of the last transaction has to be read, so it must be in this file or a later one.
      if (oldest.without(have).isEmpty() && !oldest.contains(then.last())) {
        return scan(files.get(i), oldest);
      }
    }
    GtidSet own = oldest.without(have);
    return own.isEmpty()
        ? refused(
            "its oldest file %s begins after %s"
                .formatted(files.isEmpty() ? "" : files.get(0), then.last()),
            "the log from %s on, the last transaction that the task has".formatted(then.last()))
        : refused(
            "its log has %s before the last transaction that the task has".formatted(own),
            "transaction %s, and none that the task lacks before it".formatted(then.last()));
  }

  /** The transactions that it has received from others and applied, or still applies. */
  private static GtidSet received(MariadbQuery query) throws SQLException {
    GtidSet received = new GtidSet();
    for (Map<String, String> channel : query.named("SHOW REPLICA STATUS")) {
      if (channel.getOrDefault("Replica_SQL_Running", "").equals("Yes")) {
        received.addAll(GtidSet.parse(channel.getOrDefault("Retrieved_Gtid_Set", "")));
      }
    }
    return received;
  }

  private Succession scan(String file, GtidSet before) {
    Scan scan = new Scan(file, before);
    try {
      beginnings.read(file, scan::goesOn);
    } catch (SluiceException.Fatal e) {
      return refused(
          "its log cannot be read after %s: %s"
              .formatted(
                  scan.decoder.boundary(),
                  e.problems().isEmpty() ? e.getMessage() : e.problems().get(0).found()),
          "a log that can be read");
    }
    return scan.result();
  }

  private static Succession refused(String found, String expected) {
    return new Refused(ReplicaSettings.problem(found, expected));
  }

  /** Follows the transactions of a log with a decoder that captures no table. */
  private final class Scan implements LoggedTransactions {
    private final GtidSet logged;

    /** How many of the task's transactions were not read yet. */
    private long left;

    private final BinlogDecoder decoder;
    private MysqlTransaction begun;
    private BinlogPosition place;
    private Succession refusal;

    Scan(String file, GtidSet before) {
      this.logged = new GtidSet().addAll(before);
      this.left = have.without(before).size();
      this.decoder =
          BinlogDecoder.ofTransactions(
                  server,
                  BinlogPosition.of(file, BinlogPosition.FIRST_EVENT),
                  new LogHistory(server.base(), beginnings.secondsOf(file), ""))
              .naming(this);
    }

    boolean goesOn(LogEvent event) {
      decoder.decode(event);
      for (SourceEvent any : decoder.take().events()) {
        if (place == null && left == 0) {
          place = BinlogPosition.of(((SourceEvent.Committed) any).position());
        }
      }
      return refusal == null && decoder.boundary().compareTo(server.end()) < 0;
    }

    @Override
    public void begin(MysqlTransaction transaction) {
      begun = transaction;
    }

    @Override
    public void committed(BinlogPosition boundary) {
      if (refusal != null) {
        return;
      }
      if (begun.gtid().isEmpty()) {
        refusal =
            refused(
                "its log has an anonymous transaction, before " + boundary,
                "a GTID for each transaction: gtid_mode = ON since before that");
        return;
      }
      MysqlGtid gtid = begun.gtid().get();
      if (!logged.add(gtid)) {
        refusal =
            refused("its log has transaction %s twice".formatted(gtid), "each transaction once");
      } else if (!have.contains(gtid)) {
        if (left > 0) {
          refusal =
              refused(
                  "its log has transaction %s before all that the task has".formatted(gtid),
                  "%s, and none that the task lacks before"
                      .formatted(have.without(logged).toString()));
        }
      } else if (gtid.equals(then.last()) && begun.firstCommitMicros() != then.commitMicros()) {
        refusal =
            refused(
                "its transaction %s was committed at another time than the one that the task has"
                    .formatted(gtid),
                "the same transaction: GTIDs were given again, or it was a replica of another"
                    + " server");
      } else {
        left--;
      }
    }

    /** Empty: a log that is only searched needs no bookmark. */
    @Override
    public String bookmark() {
      return "";
    }

    Succession result() {
      if (refusal != null) {
        return refusal;
      }
      GtidSet unlogged = GtidSet.parse(server.executed()).without(logged);
      if (!unlogged.isEmpty()) {
        return refused(
            "its log lacks %s, which it has executed".formatted(unlogged),
            "a log with all transactions: what a replica applied and did not log is missing");
      }
      return place == null
          ? refused(
              "its log ends before " + have.without(logged),
              "these transactions, which target or journal have")
          : new At(place);
    }
  }
}
