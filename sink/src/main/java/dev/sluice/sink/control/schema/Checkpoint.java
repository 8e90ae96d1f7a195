package dev.sluice.sink.control.schema;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import java.util.Optional;

/**
 * How far a task has got, as its target remembers it. Immutable.
 *
 * @param task the task's name
 * @param epoch how often the task has been claimed; only the holder of the newest may write
 * @param position of the last source transaction on the target
 * @param durable a position that survives a crash of the target; never above {@code position}
 * @param journalTerm the term of that transaction in the journal; 0 before the first
 * @param journalTransaction its number in that term; 0 before the first
 * @param nextOffset the journal offset from which reading goes on
 * @param journalTopicId Kafka's id of the topic that the offset counts in; empty before the first
 * @param source the server that the position counts in; empty before the first
 */
public record Checkpoint(
    String task,
    long epoch,
    Position position,
    Position durable,
    long journalTerm,
    long journalTransaction,
    long nextOffset,
    Optional<String> journalTopicId,
    Optional<SourceServer> source) {

  /**
   * A source as replication knows it.
   *
   * @param systemIdentifier the cluster's, in decimal
   * @param timeline rises with each promotion
   */
  public record SourceServer(String systemIdentifier, int timeline) {}

  /** Where the journal is after the last transaction on the target. */
  public JournalOffset place() {
    return new JournalOffset(position, journalTerm, journalTransaction, nextOffset);
  }

  /** The same epoch at another place of the journal. */
  public Checkpoint at(JournalOffset place) {
    return new Checkpoint(
        task,
        epoch,
        place.position(),
        durable,
        place.term(),
        place.transaction(),
        place.nextOffset(),
        journalTopicId,
        source);
  }

  /**
   * The same epoch set to another place, which counts as durable.
   *
   * @param topicId of the topic that the place's offset counts in
   */
  public Checkpoint setTo(JournalOffset place, Optional<String> topicId) {
    return new Checkpoint(
        task,
        epoch,
        place.position(),
        place.position(),
        place.term(),
        place.transaction(),
        place.nextOffset(),
        topicId,
        source);
  }

  /** The same place in the log of a source that took over from the one before. */
  public Checkpoint ofSource(SourceServer sourceServer) {
    return new Checkpoint(
        task,
        epoch,
        position,
        durable,
        journalTerm,
        journalTransaction,
        nextOffset,
        journalTopicId,
        Optional.of(sourceServer));
  }

  /** The same epoch with a start: where the full load's snapshot or the slot begins. */
  public Checkpoint startingAt(
      Position start, long offset, String topicId, SourceServer sourceServer) {
    return new Checkpoint(
        task, epoch, start, start, 0, 0, offset, Optional.of(topicId), Optional.of(sourceServer));
  }
}
