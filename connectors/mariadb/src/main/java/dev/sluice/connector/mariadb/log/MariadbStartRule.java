package dev.sluice.connector.mariadb.log;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.connector.mariadb.capture.BinlogPosition;
import java.util.Optional;

/**
 * Decides whether a task may resume. It goes on after the last transaction that target or journal
 * have, so the server must still have the file with its end. Pure.
 *
 * @param files of the binary log, as they are now
 */
public record MariadbStartRule(BinlogFiles files) implements StartRule {
  private static final String LOAD_AGAIN =
      "load the tables again: sluice stop --drop removes the task, and the next run loads them";

  @Override
  public Decision decide(Facts facts) {
    if (!facts.sourceThen().equals(facts.sourceNow())) {
      return new Decision.Stop(
          new Problem(
              "source",
              "it is " + facts.sourceNow().system(),
              "server " + facts.sourceThen().system() + ", from which the target was loaded",
              "Set source.url to that server. The positions of another one mean something else: to"
                  + " replicate from it, "
                  + LOAD_AGAIN));
    }
    boolean cutAtFront = facts.offsetBelieved() && facts.offset() < facts.journalStart();
    Position have =
        cutAtFront
            ? facts.checkpoint()
            : facts.checkpoint().max(facts.lastInJournal().orElse(Position.ZERO));
    BinlogPosition next = BinlogPosition.of(have);
    BinlogPosition end = BinlogPosition.of(facts.logEnd());
    if (next.compareTo(end) > 0) {
      return new Decision.Stop(
          new Problem(
              "source",
              "its binary log ends at %s, and target or journal have changes up to %s, which it does not have"
                  .formatted(end, next),
              "a server that has all replicated changes",
              "If it was restored from a backup, or its logs were reset, " + LOAD_AGAIN));
    }
    if (!files.has(next)) {
      return new Decision.Stop(
          new Problem(
              "binary log",
              "the server has removed file number %d, and target and journal have changes only up to %s; the oldest that is left begins at %s"
                  .formatted(
                      next.file(), next, files.oldest().map(Object::toString).orElse("none")),
              "all files from that position on",
              "Raise binlog_expire_logs_seconds. If the file cannot be restored, " + LOAD_AGAIN));
    }
    return new Decision.GoOn(
        have,
        facts.offsetBelieved() && !cutAtFront ? Optional.of(facts.offset()) : Optional.empty());
  }
}
