package dev.sluice.connector.mariadb.log;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.connector.mariadb.capture.BinlogPosition;
import dev.sluice.connector.mariadb.capture.LogHistory;
import java.util.Optional;
import java.util.function.Function;

/**
 * Decides whether a task may resume. It goes on after the last transaction that target or journal
 * have, so the server must still have the file with its end, and that end must be of the same
 * history. The server's identity decides nothing: it changes with the port or the machine, and
 * copies have it too. Pure but for the history, which is read if it is needed.
 *
 * @param files of the binary log, as they are now
 * @param history that the server has at a place; empty if it has no such place
 */
public record MariadbStartRule(
    BinlogFiles files, Function<BinlogPosition, Optional<LogHistory>> history)
    implements StartRule {
  private static final String LOAD_AGAIN =
      "load the tables again: sluice stop --drop removes the task, and the next run loads them";

  @Override
  public Decision decide(Facts facts) {
    boolean cutAtFront = facts.offsetBelieved() && facts.offset() < facts.journalStart();
    Position have =
        cutAtFront
            ? facts.checkpoint()
            : facts.checkpoint().max(facts.lastInJournal().orElse(Position.ZERO));
    BinlogPosition end = BinlogPosition.of(facts.logEnd());
    Optional<Problem> problem = problem(have, end);
    if (problem.isEmpty() && facts.furthest().isAfter(have)) {
      // What a lane has is read again, and dropped there by its position.
      problem = problem(facts.furthest(), end);
    }
    return problem.isPresent()
        ? new Decision.Stop(named(problem.get(), facts))
        : new Decision.GoOn(
            have,
            facts.offsetBelieved() && !cutAtFront ? Optional.of(facts.offset()) : Optional.empty());
  }

  private Optional<Problem> problem(Position have, BinlogPosition end) {
    BinlogPosition next = BinlogPosition.of(have);
    if (next.compareTo(end) > 0) {
      return Optional.of(
          new Problem(
              "source",
              "its binary log ends at %s, and target or journal have changes up to %s, which it does not have"
                  .formatted(end, next),
              "a server that has all replicated changes",
              "If it was restored from a backup, or its logs were reset, " + LOAD_AGAIN));
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

  /** With another identity it may be another server, to which source.url leads by mistake. */
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
