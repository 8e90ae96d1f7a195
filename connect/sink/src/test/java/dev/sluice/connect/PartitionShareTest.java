package dev.sluice.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.junit.jupiter.api.Test;

/** What Kafka does with the partitions of tables' topics: the ground of docs/operate/sizing.md. */
final class PartitionShareTest {
  private static final Node NODE = new Node(1, "localhost", 9092);

  @Test
  void kafkasDefaultDealsOutTopicByTopic() {
    assertThat(
            (List<?>)
                ConsumerConfig.configDef().defaultValues().get("partition.assignment.strategy"))
        .first()
        .isEqualTo(RangeAssignor.class);
  }

  @Test
  void soTopicsOfOnePartitionAllComeToOneTask() {
    assertThat(shares(new RangeAssignor(), 8, 1, 2)).containsExactly(8, 0);
    assertThat(shares(new RangeAssignor(), 8, 1, 4)).containsExactly(8, 0, 0, 0);
    assertThat(shares(new RangeAssignor(), 8, 3, 4)).containsExactly(8, 8, 8, 0);
  }

  @Test
  void roundRobinSharesThemEvenly() {
    assertThat(shares(new RoundRobinAssignor(), 8, 1, 2)).containsExactly(4, 4);
    assertThat(shares(new RoundRobinAssignor(), 8, 1, 4)).containsExactly(2, 2, 2, 2);
    assertThat(shares(new RoundRobinAssignor(), 8, 3, 4)).containsExactly(6, 6, 6, 6);
  }

  /** How many partitions each task gets. */
  private static List<Integer> shares(
      ConsumerPartitionAssignor assignor, int topics, int partitions, int tasks) {
    List<PartitionInfo> all = new ArrayList<>();
    List<String> names = IntStream.range(0, topics).mapToObj(i -> "shop.t" + i).toList();
    for (String name : names) {
      for (int partition = 0; partition < partitions; partition++) {
        all.add(new PartitionInfo(name, partition, NODE, new Node[] {NODE}, new Node[] {NODE}));
      }
    }
    Map<String, Subscription> members = new HashMap<>();
    for (int task = 0; task < tasks; task++) {
      members.put("task-" + task, new Subscription(names));
    }
    Map<String, Assignment> assigned =
        assignor
            .assign(
                new Cluster("cluster", List.of(NODE), all, Set.of(), Set.of()),
                new GroupSubscription(members))
            .groupAssignment();
    return IntStream.range(0, tasks)
        .mapToObj(task -> assigned.get("task-" + task).partitions().size())
        .toList();
  }
}
