package dev.sluice.engine;

import dev.sluice.embedded.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
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
 * daemons of other processes.
 */
public final class SharedBroker implements BeforeAllCallback, AfterAllCallback {
  private static EmbeddedBroker broker;
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
    return used ? "kafka: { bootstrap.servers: \"%s\" }%n".formatted(withoutTopicsOf(task)) : "";
  }

  /** The file of a task that has its own broker. */
  public static String removedFrom(String file) {
    return file.replaceFirst("(?m)^kafka: .*\\R", "");
  }

  /** The address of the broker, after the topics of an earlier task of that name are deleted. */
  private static synchronized String withoutTopicsOf(String task) throws IOException {
    if (broker == null) {
      broker = EmbeddedBroker.start(Files.createTempDirectory("shared-broker"));
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
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
