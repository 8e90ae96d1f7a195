package dev.sluice.engine;

import dev.sluice.embedded.BrokerAccess;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.MemoryFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One Kafka for the tasks of this process's tests, instead of one in each daemon, which costs two
 * seconds of a processor. For a class of tests that names it with {@link
 * org.junit.jupiter.api.extension.ExtendWith}: those of a task's own broker do not, nor those with
 * daemons of other processes. Such a daemon, just started on a busy machine, may not get an answer
 * of a cluster in the ten seconds of its checks.
 */
public final class SharedBroker implements BeforeAllCallback, AfterAllCallback {
  private static final Pattern LINE = Pattern.compile("(?m)^kafka: .*\\R");

  /** It starts once and rests for long, beside those of the other processes. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(2);

  private static EmbeddedBroker broker;
  private static Admin admin;
  private static boolean used;

  @Override
  public void beforeAll(ExtensionContext context) {
    used = true;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    used = false;
  }

  /** The line of a new task's file, with the end of the line; empty if the task has its own. */
  public static String line(String task) throws IOException {
    return used
        ? "kafka: { bootstrap.servers: \"%s\", enable.metrics.push: false }%n"
            .formatted(withoutTopicsOf(task))
        : "";
  }

  /** The text of the file of a task that has its own broker. */
  public static String removedFrom(String file) {
    return LINE.matcher(file).replaceFirst("");
  }

  /** Gives the task of a file, which no daemon has run yet, its own broker. */
  public static Path removeFrom(Path file) throws IOException {
    return Files.writeString(file, removedFrom(Files.readString(file)));
  }

  /** The address of the broker, after the topics of an earlier task of that name are deleted. */
  private static synchronized String withoutTopicsOf(String task) throws IOException {
    if (broker == null) {
      broker = EmbeddedBroker.start(MemoryFolder.create("broker"), BrokerAccess.open(), HEARTBEAT);
      MemoryFolder.endFirst(broker::close);
      admin = Admin.create(broker.client());
    }
    try {
      List<String> topics =
          admin.listTopics().names().get().stream()
              .filter(
                  topic ->
                      topic.startsWith("sluice." + task + ".")
                          || topic.startsWith("sluice." + task + "_fallback."))
              .toList();
      for (KafkaFuture<Void> deleted : admin.deleteTopics(topics).topicNameValues().values()) {
        awaitDeleted(deleted);
      }
    } catch (ExecutionException e) {
      throw new IOException("the topics of " + task + " cannot be deleted", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return broker.bootstrapServers();
  }

  /** A topic that an earlier task was about to delete may be listed, and gone by now. */
  private static void awaitDeleted(KafkaFuture<Void> deleted)
      throws ExecutionException, InterruptedException {
    try {
      deleted.get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
        throw e;
      }
    }
  }
}
