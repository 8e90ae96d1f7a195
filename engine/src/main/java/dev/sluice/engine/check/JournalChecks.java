package dev.sluice.engine.check;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.KafkaProperties;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.capture.DaemonLocation;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.journal.ClusterChecks;
import dev.sluice.engine.journal.JournalBroker;
import dev.sluice.sink.control.task.DaemonPresence;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;

/**
 * Checks the journal of a task: its cluster, its topics and their owner, and that the daemon runs
 * where it is. Used once, by one thread.
 */
final class JournalChecks {
  private final TaskContext context;
  private final StartPlan plan;
  private final CheckReport found;

  /**
   * @param plan how the task continues
   * @param found receives what is found, after earlier findings
   */
  JournalChecks(TaskContext context, StartPlan plan, CheckReport found) {
    this.context = context;
    this.plan = plan;
    this.found = found;
  }

  void run() {
    TaskConfig config = context.config();
    if (config.kafka().isEmpty()) {
      checkLocation(() -> JournalBroker.topicId(config.dataDir(), context.topics().journal()));
    }
    config.kafka().ifPresent(this::checkKafka);
  }

  /** The same of a task that needs no journal any more. */
  void runWithoutJournal() {
    if (context.config().kafka().isEmpty()) {
      checkLocation(Optional::empty);
    }
  }

  /** Checks that the journal is here and no other daemon uses it elsewhere. */
  private void checkLocation(Supplier<Optional<String>> journal) {
    try {
      new DaemonLocation(context, journal)
          .problem(
              plan,
              context.checkpoints().read(context.task()),
              !DaemonPresence.isShown(context.target(), context.controlSchema(), context.task()))
          .map(List::of)
          .ifPresent(found::problems);
    } catch (SluiceException e) {
      found.failureUnlessNamed("the location of the journal", e);
    }
  }

  private void checkKafka(KafkaProperties kafka) {
    ClusterChecks cluster = ClusterChecks.of(kafka);
    found.problems(cluster.problems());
    found.notes(cluster.notes());
    if (cluster.problems().isEmpty()) {
      try (Journal journal = new Journal(Map.copyOf(kafka.asMap()), context.topics())) {
        List<Problem> ofTopics = journal.problems();
        found.problems(ofTopics);
        if (ofTopics.isEmpty()) {
          checkOwnerOf(journal);
          checkLocation(() -> journal.topicId().map(Uuid::toString));
        }
      }
    }
  }

  private void checkOwnerOf(Journal journal) {
    try {
      journal
          .anothers(context.ownership().mark().id().toString())
          .map(List::of)
          .ifPresent(found::problems);
    } catch (SluiceException e) {
      found.failure("the owner of topic " + context.topics().schemas(), e);
    }
  }
}
