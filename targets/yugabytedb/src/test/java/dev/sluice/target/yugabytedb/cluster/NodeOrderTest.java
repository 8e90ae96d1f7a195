package dev.sluice.target.yugabytedb.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Problems;
import dev.sluice.target.yugabytedb.cluster.ClusterNodes.Listed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeOrderTest {
  private static final ClusterNode A = node("a", "eu", "eu-a");
  private static final ClusterNode B = node("b", "eu", "eu-b");
  private static final ClusterNode C = node("c", "us", "us-a");

  @Test
  void theServerWithTheFewestSessionsComesFirst() {
    assertThat(order("", false, Map.of(A, 2, B, 0, C, 1), Set.of(), 0)).containsExactly(B, C, A);
  }

  @Test
  void ofEqualServersEachSessionBeginsWithAnotherOne() {
    assertThat(order("", false, Map.of(), Set.of(), 0)).containsExactly(A, B, C);
    assertThat(order("", false, Map.of(), Set.of(), 1)).containsExactly(B, C, A);
    assertThat(order("", false, Map.of(), Set.of(), 5)).containsExactly(C, A, B);
  }

  @Test
  void preferredPlacementsComeFirstHoweverManySessionsTheyHave() {
    assertThat(order("aws.us.us-a:1,aws.eu.*:2", false, Map.of(C, 9, A, 1), Set.of(), 0))
        .containsExactly(C, B, A);
    assertThat(order("aws.eu.eu-b", false, Map.of(B, 9, C, 1), Set.of(), 0))
        .containsExactly(B, A, C);
  }

  @Test
  void aServerThatIsLeftComesBehindThoseOfOtherPlacements() {
    assertThat(order("aws.us.us-a:1,aws.eu.*:2", false, Map.of(), Set.of(C), 0))
        .containsExactly(A, B, C);
  }

  @Test
  void serversOfOtherPlacementsAreLeftOutOnRequest() {
    assertThat(order("aws.eu.*", true, Map.of(), Set.of(A), 0)).containsExactly(B, A);
    assertThat(order("gcp.eu.*", true, Map.of(), Set.of(), 0)).isEmpty();
  }

  /** As where a tunnel leads to the cluster, or a balancer in front of it. */
  @Test
  void otherHostsOfTheUrlComeBehindTheListedServersAndBeforeThoseThatAreLeft() {
    List<ClusterNode> hosts = List.of(host("x"), host("b"), host("y"));
    assertThat(order(hosts, Set.of(), 0)).containsExactly(A, B, C, host("x"), host("y"));
    assertThat(order(hosts, Set.of(A, B), 0)).containsExactly(C, host("x"), host("y"), A, B);
    assertThat(order(hosts, Set.of(A, B, C), 1)).containsExactly(host("y"), host("x"), B, C, A);
    assertThat(order(hosts, Set.of(A, B, C, host("x")), 0))
        .containsExactly(host("y"), A, B, C, host("x"));
  }

  @Test
  void publicAddressesAreUsedIfTheUrlHasOneOfThemAndNoOther() {
    List<Listed> listed =
        List.of(
            new Listed("10.0.0.1", "8.0.0.1", 5433, A.placement()),
            new Listed("10.0.0.2", "8.0.0.2", 5433, B.placement()));
    assertThat(ClusterNodes.reachable(listed, Set.of("yb", "8.0.0.1")))
        .extracting(ClusterNode::address)
        .containsExactly("8.0.0.1:5433", "8.0.0.2:5433");
    assertThat(ClusterNodes.reachable(listed, Set.of("10.0.0.1", "8.0.0.1")))
        .extracting(ClusterNode::address)
        .containsExactly("10.0.0.1:5433", "10.0.0.2:5433");
    assertThat(ClusterNodes.reachable(listed, Set.of("proxy")))
        .extracting(ClusterNode::address)
        .containsExactly("10.0.0.1:5433", "10.0.0.2:5433");
  }

  @Test
  void anAddressOfIpv6IsInBrackets() {
    assertThat(ClusterNode.of("fe80::1", 5433, Placement.UNKNOWN).address())
        .isEqualTo("[fe80::1]:5433");
    assertThat(ClusterNode.hostOf("[fe80::1]:5433")).isEqualTo("fe80::1");
    assertThat(ClusterNode.hostOf("yb1:5433")).isEqualTo("yb1");
  }

  @Test
  void fourWorkersLoadForEachServerAndNeverMoreThanForOtherTargets() {
    assertThat(LoadWorkers.of(0)).isEqualTo(4);
    assertThat(LoadWorkers.of(1)).isEqualTo(4);
    assertThat(LoadWorkers.of(2)).isEqualTo(8);
    assertThat(LoadWorkers.of(3)).isEqualTo(8);
    assertThat(LoadWorkers.of(Integer.MAX_VALUE)).isEqualTo(8);
  }

  private static List<ClusterNode> order(
      String keys,
      boolean keysOnly,
      Map<ClusterNode, Integer> sessions,
      Set<ClusterNode> left,
      int turn) {
    TopologyKeys read =
        keys.isEmpty() ? TopologyKeys.NONE : TopologyKeys.read(keys, new Problems());
    return NodeOrder.of(
        List.of(A, B, C),
        List.of(),
        new Spread(read, keysOnly, Duration.ZERO, Duration.ZERO),
        node -> sessions.getOrDefault(node, 0),
        left::contains,
        turn);
  }

  private static List<ClusterNode> order(List<ClusterNode> hosts, Set<ClusterNode> left, int turn) {
    return NodeOrder.of(
        List.of(A, B, C),
        hosts,
        new Spread(TopologyKeys.NONE, false, Duration.ZERO, Duration.ZERO),
        node -> 0,
        left::contains,
        turn);
  }

  private static ClusterNode host(String host) {
    return new ClusterNode(host + ":5433", Placement.UNKNOWN);
  }

  private static ClusterNode node(String host, String region, String zone) {
    return ClusterNode.of(host, 5433, new Placement("aws", region, zone));
  }
}
