package dev.sluice.engine.journal;

import dev.sluice.config.document.Problem;
import dev.sluice.config.task.KafkaProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;

/**
 * Checks whether the user's Kafka can be reached and does not lose acknowledged records. Immutable.
 */
public final class ClusterChecks {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int SAFE_BROKERS = 3;

  private final List<Problem> problems;
  private final List<String> notes;

  private ClusterChecks(List<Problem> problems, List<String> notes) {
    this.problems = List.copyOf(problems);
    this.notes = List.copyOf(notes);
  }

  /** Runs the checks; each request to the cluster has a timeout of 10 seconds. */
  public static ClusterChecks of(KafkaProperties kafka) {
    List<Problem> problems = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    Map<String, Object> client = new HashMap<>(kafka.asMap());
    client.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
    client.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis() / 2);
    try (Admin admin = Admin.create(client)) {
      DescribeClusterResult cluster =
          admin.describeCluster(new DescribeClusterOptions().includeAuthorizedOperations(true));
      Collection<Node> brokers = answer(cluster.nodes());
      if (brokers.size() < SAFE_BROKERS) {
        notes.add(
            "Kafka %s has %d brokers: the journal has one replica, so a lost disk loses it; use 3 brokers"
                .formatted(kafka.bootstrapServers(), brokers.size()));
      }
      Set<AclOperation> rights = answer(cluster.authorizedOperations());
      if (mayNot(AclOperation.DESCRIBE, rights)) {
        notes.add(
            "Kafka %s does not show this user the journal's size and the free disk space (missing right: DESCRIBE on the cluster): JournalLimit and JournalReserve have no effect"
                .formatted(kafka.bootstrapServers()));
      }
      if (mayNot(AclOperation.DESCRIBE_CONFIGS, rights)) {
        notes.add(
            "Kafka %s does not show this user the brokers' settings (missing right: DESCRIBE_CONFIGS on the cluster): unclean.leader.election.enable is checked on the topics only"
                .formatted(kafka.bootstrapServers()));
      } else {
        uncleanElection(admin, brokers, problems);
      }
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      problems.add(unreachable(kafka, e instanceof ExecutionException ? e.getCause() : e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      problems.add(unreachable(kafka, e));
    }
    return new ClusterChecks(problems, notes);
  }

  public List<Problem> problems() {
    return problems;
  }

  public List<String> notes() {
    return notes;
  }

  private static void uncleanElection(Admin admin, Collection<Node> brokers, List<Problem> problems)
      throws InterruptedException, ExecutionException, TimeoutException {
    Node broker = brokers.iterator().next();
    ConfigResource resource = new ConfigResource(ConfigResource.Type.BROKER, broker.idString());
    Config config = answer(admin.describeConfigs(List.of(resource)).all()).get(resource);
    ConfigEntry unclean = config.get("unclean.leader.election.enable");
    if (unclean != null && "true".equals(unclean.value())) {
      problems.add(
          new Problem(
              "Kafka broker " + broker.idString(),
              "unclean.leader.election.enable is true: acknowledged records may be lost",
              "false",
              "Set unclean.leader.election.enable=false on the cluster"));
    }
  }

  private static <T> T answer(KafkaFuture<T> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether a right is missing; false for brokers before 2.3, which do not report rights. */
  private static boolean mayNot(AclOperation operation, Set<AclOperation> rights) {
    return rights != null && !rights.contains(operation);
  }

  private static Problem unreachable(KafkaProperties kafka, Throwable error) {
    String why = error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    return new Problem(
        "Kafka " + kafka.bootstrapServers(),
        "does not answer: " + why,
        "a cluster that can be reached with the properties under kafka:",
        "Correct bootstrap.servers and the security properties, or remove kafka: to run a broker"
            + " inside the daemon");
  }
}
