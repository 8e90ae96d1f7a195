package dev.sluice.sink.control.schema;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import java.util.Optional;

/**
 * The checkpoint of a task on the target: how far changes are applied. Immutable.
 *
 * @param task the task's name
 * @param epoch number of claims of the task; only the daemon with the newest epoch may write
 * @param position position of the last source transaction on the target
 * @param durable position that survives a crash of the target; never above {@code position}
 * @param journalTerm term of that transaction in the journal; 0 before the first
 * @param journalTransaction its number in that term; 0 before the first
 * @param nextOffset journal offset from which reading continues
 * @param journalTopicId Kafka's id of the journal's topic; empty before the first
 * @param source the server whose log the position belongs to; empty before the first
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
   * The identity of a source server.
   *
   * @param systemIdentifier the cluster's system identifier, in decimal
   * @param timeline the timeline, which grows with each promotion
   */
  public record SourceServer(String systemIdentifier, int timeline) {}

  /** The journal offset after the last transaction on the target. */
  public JournalOffset place() {
    return new JournalOffset(position, journalTerm, journalTransaction, nextOffset);
  }

  /** The same with another epoch. */
  Checkpoint withEpoch(long other) {
    return new Checkpoint(
        task,
        other,
        position,
        durable,
        journalTerm,
        journalTransaction,
        nextOffset,
        journalTopicId,
        source);
  }

  /** The same epoch at another journal offset. */
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
   * The same epoch at another journal offset, which counts as durable.
   *
   * @param topicId Kafka's id of the topic that the offset belongs to
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

  /** The same position in the log of a promoted source server. */
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

  /** The same epoch at the start: the position of the full load's snapshot or of the slot. */
  public Checkpoint startingAt(
      Position start, long offset, String topicId, SourceServer sourceServer) {
    return new Checkpoint(
        task, epoch, start, start, 0, 0, offset, Optional.of(topicId), Optional.of(sourceServer));
  }
}
