package dev.sluice.engine.connect;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.config.task.KafkaProperties;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * Client of a running Kafka Connect cluster, through the REST interface of one worker, and its
 * Kafka. Used by one thread.
 */
public final class ConnectCluster {
  private static final Duration REQUEST = Duration.ofSeconds(90);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int CONFLICT = 409;

  private final URI worker;
  private final HttpClient client =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  /**
   * @param worker such as {@code http://127.0.0.1:8083}
   */
  public ConnectCluster(URI worker) {
    this.worker = worker;
  }

  /**
   * Creates a topic with one partition, unlimited retention and the brokers' default number of
   * replicas; leaves an existing one as it is.
   *
   * @return whether it was created
   */
  public static boolean makeTopic(KafkaProperties kafka, String topic) throws InterruptedException {
    NewTopic wanted = new NewTopic(topic, 1, (short) -1).configs(Map.of("retention.ms", "-1"));
    try (Admin admin = Admin.create(new HashMap<String, Object>(kafka.asMap()))) {
      admin.createTopics(List.of(wanted)).all().get();
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TopicExistsException) {
        return false;
      }
      throw new SluiceException.Fatal(
          "the topic %s cannot be created: %s".formatted(topic, e.getCause().getMessage()), e);
    }
  }

  /**
   * Creates a connector, or updates the configuration of an existing one.
   *
   * @throws SluiceException.Fatal if no worker answers, or the configuration is refused
   */
  public void register(String name, Map<String, String> config) throws InterruptedException {
    // During a rebalance the cluster refuses requests.
    HttpResponse<String> answer =
        Polling.every(Duration.ofMillis(500))
            .until(TIMEOUT, () -> put(name, config), given -> given.statusCode() != CONFLICT);
    if (answer.statusCode() / 100 != 2) {
      throw new SluiceException.Fatal(
          new Problem(
              "connector " + name,
              "is refused by the worker at %s with status %d: %s"
                  .formatted(worker, answer.statusCode(), answer.body()),
              "a configuration that its plugins accept",
              "Fix what the answer names; the workers need Debezium's PostgreSQL connector and"
                  + " Sluice's on their plugin.path"));
    }
  }

  private HttpResponse<String> put(String name, Map<String, String> config)
      throws InterruptedException {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(worker.resolve("/connectors/" + name + "/config"))
              .header("Content-Type", "application/json")
              .timeout(REQUEST)
              .PUT(
                  HttpRequest.BodyPublishers.ofString(
                      new ObjectMapper().writeValueAsString(config)))
              .build();
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: a configuration that is no JSON", e);
    } catch (IOException e) {
      throw new SluiceException.Fatal(
          new Problem(
              "--register " + worker,
              "does not answer: " + e,
              "the REST interface of a worker of Kafka Connect",
              "Start a worker, or give the URL of another one"));
    }
  }
}
