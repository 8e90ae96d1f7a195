package dev.sluice.engine.fallback;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.journal.JournalBacklog;
import dev.sluice.engine.journal.JournalBroker;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspendedTable;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Uuid;

/**
 * The changes in the journal of a way back that the old source does not have yet when the new side
 * is lost: counts them, and applies them without a capture. Owned by one command, which holds the
 * lock of the way back; meanwhile it runs the Kafka with the journal.
 */
final class LeftInJournal implements AutoCloseable {
  private final TaskContext context;
  private final JournalBroker broker;
  private final Journal journal;
  private final LaneLayout layout;

  private LeftInJournal(TaskContext context, JournalBroker broker) {
    this.context = context;
    this.broker = broker;
    this.journal = new Journal(broker.client(), context.topics());
    this.layout = new LaneLayout(context, broker.client(), new StopRequest(), Clock.systemUTC());
  }

  /**
   * Opens the journal to which a checkpoint belongs.
   *
   * @throws SluiceException if it cannot be read, or is not the journal that was applied
   */
  static LeftInJournal open(TaskContext context, Checkpoint checkpoint) {
    LeftInJournal left =
        new LeftInJournal(
            context, JournalBroker.open(context.config().kafka(), context.config().dataDir()));
    try {
      left.require(checkpoint);
      return left;
    } catch (RuntimeException e) {
      left.close();
      throw e;
    }
  }

  private void require(Checkpoint checkpoint) {
    Optional<String> topic = journal.topicId().map(Uuid::toString);
    if (!topic.equals(checkpoint.journalTopicId())) {
      throw new SluiceException.Fatal(
          new Problem(
              "journal of task " + context.task(),
              topic.isPresent() ? "it is not the journal that was applied" : "it is gone",
              "the journal from which the old source got its changes, in "
                  + context.topics().journal(),
              "Run the command where that journal is. If it is lost, add --skip-journal: the changes"
                  + " that were only in it are lost, too"));
    }
  }

  /**
   * The number of changes in complete transactions, by table of the new side; several lanes may
   * have some.
   */
  Map<TableId, Long> waiting(Checkpoint checkpoint) {
    Checkpoint lowest = layout.lowest(checkpoint);
    return JournalBacklog.read(
            broker.client(), context.topics(), lowest.position(), lowest.nextOffset())
        .changes();
  }

  /**
   * The number of changes of a suspended table, which are not applied; empty if the journal lacks
   * some.
   */
  Optional<Long> waiting(SuspendedTable table) {
    return table.journaled() && table.applied().nextOffset() >= journal.startOffset()
        ? Optional.of(
            JournalBacklog.read(
                    broker.client(),
                    context.topics(),
                    table.applied().position(),
                    table.applied().nextOffset())
                .changes()
                .getOrDefault(table.table(), 0L))
        : Optional.empty();
  }

  /**
   * Applies the journal to its end.
   *
   * @return the position up to which the old source has everything now
   * @throws SluiceException if the old source rejects a change; can be repeated
   */
  Position apply() throws InterruptedException {
    Checkpoint lowest = layout.lowest(context.claim().next());
    var tail = journal.tail(lowest.nextOffset(), lowest.journalTerm(), lowest.journalTransaction());
    // Terms are claimed epochs: records of a lower term would be taken for repeated ones.
    Checkpoint claimed = context.claim().above(tail.newestTerm());
    // The last transaction may be lower, where a term repeats the one before.
    Position end = tail.furthest().map(TransactionEnd::position).orElse(Position.ZERO);
    layout.runUpTo(claimed, end);
    return end.max(claimed.position());
  }

  @Override
  public void close() {
    journal.close();
    broker.close();
  }
}
