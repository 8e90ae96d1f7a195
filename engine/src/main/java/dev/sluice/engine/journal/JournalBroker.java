package dev.sluice.engine.journal;

import dev.sluice.config.PrivateDirectory;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.KafkaProperties;
import dev.sluice.embedded.BrokerAccess;
import dev.sluice.embedded.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The Kafka that holds the journal: the user's cluster, or one broker inside the daemon, which
 * serves no other process and whose files only the daemon's user can read. A task that captures no
 * changes needs none. Opened and closed by one thread at a time.
 */
public final class JournalBroker implements AutoCloseable {
  private static final String DIRECTORY = "kafka";

  /** Key of the topic's id in Kafka's file {@code partition.metadata}. */
  private static final String TOPIC_ID = "topic_id:";

  private final Map<String, Object> client;
  private final Optional<EmbeddedBroker> embedded;

  private JournalBroker(Map<String, Object> client, Optional<EmbeddedBroker> embedded) {
    this.client = client;
    this.embedded = embedded;
  }

  /**
   * Connects to the user's cluster, or starts the embedded broker in the task's data directory.
   *
   * @throws SluiceException.Fatal if the embedded broker does not start
   */
  public static JournalBroker open(Optional<KafkaProperties> cluster, Path dataDirectory) {
    if (cluster.isPresent()) {
      return new JournalBroker(Map.copyOf(cluster.get().asMap()), Optional.empty());
    }
    Path directory = directory(dataDirectory);
    try {
      PrivateDirectory.make(directory);
      EmbeddedBroker broker = EmbeddedBroker.start(directory, BrokerAccess.ownerOnly());
      return new JournalBroker(broker.client(), Optional.of(broker));
    } catch (IOException | IllegalStateException e) {
      throw new SluiceException.Fatal(
          new Problem(
              "embedded Kafka in " + directory,
              e.getMessage(),
              "a directory that can be written, with free disk space, and free ports",
              "Fix the cause, or set a cluster under kafka: in the task file"));
    }
  }

  /** No Kafka, for a task that captures no changes. */
  public static JournalBroker none() {
    return new JournalBroker(Map.of(), Optional.empty());
  }

  /** Whether there is a Kafka. */
  public boolean isThere() {
    return !client.isEmpty();
  }

  /** The directory of a task's embedded broker. */
  public static Path directory(Path dataDirectory) {
    return dataDirectory.resolve(DIRECTORY);
  }

  /**
   * Reads the id of a topic from the files of a task's embedded broker, which need not run; empty
   * if there is no topic of that name.
   */
  public static Optional<String> topicId(Path dataDirectory, String topic) {
    Path file =
        EmbeddedBroker.logs(directory(dataDirectory))
            .resolve(topic + "-0")
            .resolve("partition.metadata");
    try {
      return Files.readAllLines(file).stream()
          .filter(line -> line.startsWith(TOPIC_ID))
          .map(line -> line.substring(TOPIC_ID.length()).strip())
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The properties with which a client connects; empty if there is no Kafka. */
  public Map<String, Object> client() {
    return client;
  }

  /** Stops the embedded broker; its files stay. Idempotent. */
  @Override
  public void close() {
    embedded.ifPresent(EmbeddedBroker::close);
  }
}
