package dev.sluice.engine.journal;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.JournalTopics;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Opens the Kafka of a task. If an earlier start has left a journal here, the broker starts while
 * source and target are checked, so that the first row is applied sooner. A first start waits for
 * the checks: if they refuse the data directory, it stays as it was. Owned by the daemon's main
 * thread.
 */
public final class BrokerStart implements AutoCloseable {
  private final TaskConfig config;
  private final Optional<FutureTask<JournalBroker>> begun;
  private boolean taken;

  private BrokerStart(TaskConfig config, Optional<FutureTask<JournalBroker>> begun) {
    this.config = config;
    this.begun = begun;
  }

  /** Begins to start the embedded broker if this directory has the task's journal. */
  public static BrokerStart begin(TaskConfig config, JournalTopics topics) {
    if (!config.migrationType().captures()
        || config.kafka().isPresent()
        || JournalBroker.topicId(config.dataDir(), topics.journal()).isEmpty()) {
      return new BrokerStart(config, Optional.empty());
    }
    FutureTask<JournalBroker> start = new FutureTask<>(() -> open(config));
    new Thread(start, "sluice-broker-start").start();
    return new BrokerStart(config, Optional.of(start));
  }

  /**
   * The Kafka, open; the caller closes it.
   *
   * @throws SluiceException if it cannot be opened
   */
  public JournalBroker take() throws InterruptedException {
    taken = true;
    return begun.isPresent() ? await(begun.get()) : open(config);
  }

  /** Stops a broker that was not taken, once it has started. */
  @Override
  public void close() {
    if (taken || begun.isEmpty()) {
      return;
    }
    taken = true;
    try {
      await(begun.get()).close();
    } catch (SluiceException e) {
      // Nothing runs, and the checks have reported what ends the start.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static JournalBroker open(TaskConfig config) {
    return config.migrationType().captures() || config.kafka().isPresent()
        ? JournalBroker.open(config.kafka(), config.dataDir())
        : JournalBroker.none();
  }

  private static JournalBroker await(FutureTask<JournalBroker> start) throws InterruptedException {
    try {
      return start.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SluiceException failure) {
        throw failure;
      }
      throw new SluiceException.Fatal("BUG: the embedded Kafka ended with " + e.getCause(), e);
    }
  }
}
