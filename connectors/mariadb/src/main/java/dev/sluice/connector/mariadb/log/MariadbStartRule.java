package dev.sluice.connector.mariadb.log;

import dev.sluice.config.document.Problem;
import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.connector.mariadb.capture.DecidedStart;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.search.NamedGtids;
import dev.sluice.connector.mariadb.capture.succession.Succession;
import dev.sluice.connector.mariadb.server.EqualAgain;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether a task may resume. It resumes after the last transaction that the target or the
 * journal has. So the server must still have the file in which that transaction ends, with the same
 * history. Another server must have the same transactions up to there, by their GTIDs. The server's
 * identity proves nothing: it changes with the port or the machine, and a copy has the identity of
 * its origin. Pure, except that it reads the server's log if needed and passes the decision to the
 * capture.
 *
 * @param files of the binary log, as they are now
 * @param history that the server has at a place; empty if it has no such place
 * @param succession where the server has exactly the transactions of a bookmark
 * @param start gets what is decided, for the capture
 */
public record MariadbStartRule(
    BinlogFiles files,
    Function<BinlogPosition, Optional<LogHistory>> history,
    Function<LogBookmark, Succession> succession,
    DecidedStart start)
    implements StartRule {
  private static final Logger LOG = LoggerFactory.getLogger(MariadbStartRule.class);

  @Override
  public Decision decide(Facts facts) {
    Position have = last(facts);
    BinlogPosition end = BinlogPosition.of(facts.logEnd());
    Optional<Problem> problem = problem(have, end);
    Position ahead = facts.furthest().max(facts.accepted()).max(facts.loaded());
    if (problem.isEmpty() && ahead.isAfter(have)) {
      // Transactions that a lane, a load or an earlier term has are read again, and skipped by
      // their
      // positions.
      problem = problem(ahead, end);
    }
    if (problem.isPresent()) {
      return onAnotherServer(facts, problem.get());
    }
    if (BinlogPosition.of(have).timeline() > 0
        && facts.stop().orElse(null) instanceof CdcStop.AtPosition stop
        && !NamedGtids.are(stop.position())) {
      return new Decision.Stop(
          new Problem(
              "cdc-stop-position",
              "is a place in the log of one server, and the task has gone on with another one since it began",
              "GTIDs, a time, such as server_time:2026-01-31T12:00:00Z, or run --until now",
              "Write such a stop, or none"));
    }
    start.keep(have, have, bookmark(facts, have));
    return goOn(facts, have);
  }

  /** The last position that the target or the journal has. */
  private static Position last(Facts facts) {
    return isCutAtFront(facts)
        ? facts.checkpoint()
        : facts.checkpoint().max(facts.lastInJournal().orElse(Position.ZERO));
  }

  private static Optional<LogBookmark> bookmark(Facts facts, Position position) {
    return facts.bookmark().apply(position).flatMap(LogBookmark::parse);
  }

  private static boolean isCutAtFront(Facts facts) {
    return facts.offsetBelieved() && facts.offset() < facts.journalStart();
  }

  private static Decision goOn(Facts facts, Position start) {
    return new Decision.GoOn(
        start,
        facts.offsetBelieved() && !isCutAtFront(facts)
            ? Optional.of(facts.offset())
            : Optional.empty());
  }

  /** Searches the other server's log for the transactions before the position. */
  private Decision onAnotherServer(Facts facts, Problem problem) {
    if (facts.stop().isPresent()) {
      return new Decision.Stop(
          named(
              new Problem(
                  "source",
                  "it is another server, and the task is to stop at a place, a time or GTIDs of the former one's log",
                  "a change of the server without cdc-stop-position and --until",
                  "Start the task without them. A time can be set again once it replicates, GTIDs once"
                      + " status shows all lanes at the new server"),
              facts));
    }
    // Otherwise the sink would apply transactions again, since they would come with a higher
    // position.
    Position have = facts.accepted();
    Optional<LogBookmark> bookmark = isCutAtFront(facts) ? Optional.empty() : bookmark(facts, have);
    if (bookmark.isEmpty() || BinlogPosition.of(have).isOfLastTimeline()) {
      return new Decision.Stop(named(problem, facts));
    }
    Position ahead = facts.furthest().max(facts.loaded());
    if (ahead.isAfter(have)) {
      // It is not known where in the other server's log these changes end.
      Problem behind =
          new Problem(
              "source",
              "the journal ends at %s, and the target has tables as they were at %s on the former server"
                  .formatted(have, ahead),
              "a journal with all changes up to there",
              "Let source.url lead to the former server until it is read up to there");
      return new Decision.Stop(named(neither(problem, behind, facts), facts));
    }
    Succession found = succession.apply(bookmark.get());
    if (found instanceof Succession.Refused refused) {
      return new Decision.Stop(named(neither(problem, refused.problem(), facts), facts));
    }
    BinlogPosition place =
        ((Succession.At) found).place().on(BinlogPosition.of(have).timeline() + 1);
    Optional<LogHistory> there = history.apply(place);
    if (there.isEmpty()) {
      return new Decision.Stop(named(problem, facts));
    }
    LOG.warn(
        "the source is another server: its log has exactly the transactions that the task has up to"
            + " {}, and the task continues after them",
        place);
    // The term begins at the journal's position; the capture continues in the other server's log.
    start.keep(have, place.position(there.get()), bookmark);
    return goOn(facts, have);
  }

  private Optional<Problem> problem(Position have, BinlogPosition end) {
    BinlogPosition next = BinlogPosition.of(have);
    if (next.compareTo(end.on(next.timeline())) > 0) {
      return Optional.of(
          new Problem(
              "source",
              "its binary log ends at %s, and target or journal have changes up to %s, which it does not have"
                  .formatted(end, next),
              "a server that has all replicated changes",
              EqualAgain.WITH_ANOTHER_LOG));
    }
    if (!files.has(next)) {
      return Optional.of(
          new Problem(
              "binary log",
              "the server has removed file number %d, and target and journal have changes only up to %s; the oldest that is left begins at %s"
                  .formatted(
                      next.file(), next, files.oldest().map(Object::toString).orElse("none")),
              "all files from that position on",
              "Raise binlog_expire_logs_seconds. If the file cannot be restored, make the tables"
                  + " equal again by difference: sluice resync, and then sluice run"));
    }
    return HistoryProof.problemOf(have, history.apply(next));
  }

  /** The problem if it is neither the same log nor a replica's. */
  private static Problem neither(Problem problem, Problem asReplica, Facts facts) {
    boolean same = facts.sourceThen().equals(facts.sourceNow());
    return new Problem(
        problem.thing(),
        "%s; it cannot go on as a replica of the former server either: %s"
            .formatted(problem.found(), asReplica.found()),
        "%s, or %s".formatted(problem.expected(), asReplica.expected()),
        "%s. What it lacks may be on the target and in the journal only: keep both until you know, and remove, load or resync nothing before"
            .formatted(same ? problem.fix() : asReplica.fix()));
  }

  /** Adds the server's identity: if it is a new one, source.url may lead to a wrong server. */
  private static Problem named(Problem problem, Facts facts) {
    return facts.sourceThen().equals(facts.sourceNow())
        ? problem
        : new Problem(
            problem.thing(),
            "it is server %s, and %s".formatted(facts.sourceNow().system(), problem.found()),
            "server %s, from which the target was loaded, or %s"
                .formatted(facts.sourceThen().system(), problem.expected()),
            problem.fix());
  }
}
