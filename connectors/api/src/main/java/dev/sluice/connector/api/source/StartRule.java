package dev.sluice.connector.api.source;

import dev.sluice.config.document.Problem;
import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.Position;
import java.util.Optional;
import java.util.function.Function;

/**
 * Decides whether a task may resume: every change that the source's log no longer provides must be
 * on the target or in the journal. Pure.
 */
@FunctionalInterface
public interface StartRule {

  Decision decide(Facts facts);

  /**
   * The state of source, target and journal at a start.
   *
   * @param retentionName for messages
   * @param retention the state of the log that the source keeps; empty if it keeps none
   * @param checkpoint the target's position
   * @param furthest the position of the part of the target that is furthest ahead: what is at or
   *     below it is dropped there
   * @param lastInJournal the last complete transaction that can be read from the journal: from the
   *     checkpoint's offset on if that is valid, else from the journal's start
   * @param sameTopic whether the checkpoint's offset belongs to the present journal topic
   * @param offset the checkpoint's offset in it
   * @param journalStart the journal's first offset
   * @param journalEnd the next offset to be written
   * @param sourceThen the source to which the checkpoint's position belongs
   * @param sourceNow the source as it is now
   * @param parted the position at which the present source left the earlier timeline; empty if it
   *     is the same one, or unknown
   * @param logEnd the position up to which the present source has written, read last
   * @param accepted the highest position that the target has, or takes from the journal. The last
   *     one in the journal may be lower: a term may have repeated a part of the one before
   * @param loaded the highest position of which the target has rows that a load has read: changes
   *     up to there are dropped for their tables
   * @param bookmark that of the last transaction up to a position, if the journal has it; the
   *     journal may be read for it
   * @param stop where the task is to stop by itself
   */
  record Facts(
      String retentionName,
      Optional<RetentionState> retention,
      Position checkpoint,
      Position furthest,
      Optional<Position> lastInJournal,
      boolean sameTopic,
      long offset,
      long journalStart,
      long journalEnd,
      SourceIdentity sourceThen,
      SourceIdentity sourceNow,
      Optional<Position> parted,
      Position logEnd,
      Position accepted,
      Position loaded,
      Function<Position, Optional<String>> bookmark,
      Optional<CdcStop> stop) {

    /** The same if nothing but the position counts. */
    public Facts withoutBookmark() {
      return new Facts(
          retentionName,
          retention,
          checkpoint,
          furthest,
          lastInJournal,
          sameTopic,
          offset,
          journalStart,
          journalEnd,
          sourceThen,
          sourceNow,
          parted,
          logEnd,
          accepted,
          loaded,
          position -> Optional.empty(),
          stop);
    }

    /** Whether the checkpoint's offset is valid; else the journal is read from its start. */
    public boolean offsetBelieved() {
      return sameTopic && offset <= journalEnd;
    }
  }

  /** The rule's decision. */
  sealed interface Decision {

    /**
     * Resume.
     *
     * @param start the log's position, which the new term's first record carries
     * @param offset the journal offset at which the sink starts; empty: the journal's start, where
     *     the sink drops applied transactions by position
     */
    record GoOn(Position start, Optional<Long> offset) implements Decision {}

    /** Stop, with the problem that says which changes are missing. */
    record Stop(Problem problem) implements Decision {}
  }
}
