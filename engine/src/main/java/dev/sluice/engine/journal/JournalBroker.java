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
 * serves no other process and whose files only the daemon's user can read. Opened and closed by the
 * daemon's main thread.
 */
public final class JournalBroker implements AutoCloseable {
  private static final String DIRECTORY = "kafka";

  /** As Kafka writes it. */
  private static final String TOPIC_ID = "topic_id:";

  private final Map<String, Object> client;
  private final Optional<EmbeddedBroker> embedded;

  private JournalBroker(Map<String, Object> client, Optional<EmbeddedBroker> embedded) {
    this.client = client;
    this.embedded = embedded;
  }

  /**
   * Opens the user's cluster, or starts the embedded broker on its directory under the task's.
   *
   * @throws SluiceException.Fatal where the embedded broker does not start
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
              "Mend that, or name a cluster under kafka: in the task file"));
    }
  }

  /** Where the embedded broker of a task keeps everything. */
  public static Path directory(Path dataDirectory) {
    return dataDirectory.resolve(DIRECTORY);
  }

  /**
   * The id of a topic that the embedded broker of a task keeps, as its files have it; empty where
   * it has none of that name. The broker need not run.
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

  /** What a client needs to reach it. */
  public Map<String, Object> client() {
    return client;
  }

  /** Stops the embedded broker; what it wrote stays. Idempotent. */
  @Override
  public void close() {
    embedded.ifPresent(EmbeddedBroker::close);
  }
}
