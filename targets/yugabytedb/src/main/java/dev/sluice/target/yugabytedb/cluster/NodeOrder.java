package dev.sluice.target.yugabytedb.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/** Decides in which order a session tries the servers. Pure. */
final class NodeOrder {
  private NodeOrder() {}

  /**
   * Servers that can be reached come before those that are avoided. In each group, servers that the
   * cluster has listed come first, sorted by preference and then by number of sessions. Other hosts
   * of the url follow: the list may be outdated, or have addresses of another network.
   *
   * @param nodes the servers that the cluster has listed
   * @param hosts the hosts of the url
   * @param sessions how many sessions the process has on a server
   * @param left whether a server is avoided, since it could not be reached
   * @param turn the number of the session: among equal servers each session begins with another one
   */
  static List<ClusterNode> of(
      List<ClusterNode> nodes,
      List<ClusterNode> hosts,
      Spread spread,
      ToIntFunction<ClusterNode> sessions,
      Predicate<ClusterNode> left,
      int turn) {
    List<ClusterNode> listed = new ArrayList<>(nodes);
    if (spread.keysOnly()) {
      listed.removeIf(node -> spread.keys().preferenceOf(node.placement()).isEmpty());
    }
    List<String> addresses = listed.stream().map(ClusterNode::address).toList();
    List<ClusterNode> others = new ArrayList<>(hosts);
    others.removeIf(host -> addresses.contains(host.address()));
    Comparator<ClusterNode> byPreference =
        Comparator.comparingInt(
            node -> spread.keys().preferenceOf(node.placement()).orElse(Integer.MAX_VALUE));
    sort(listed, byPreference.thenComparingInt(sessions), turn);
    sort(others, Comparator.comparingInt(sessions), turn);

    List<ClusterNode> ordered = new ArrayList<>();
    List<ClusterNode> last = new ArrayList<>();
    for (List<ClusterNode> each : List.of(listed, others)) {
      each.forEach(node -> (left.test(node) ? last : ordered).add(node));
    }
    ordered.addAll(last);
    return ordered;
  }

  private static void sort(List<ClusterNode> nodes, Comparator<ClusterNode> order, int turn) {
    if (!nodes.isEmpty()) {
      Collections.rotate(nodes, -Math.floorMod(turn, nodes.size()));
    }
    nodes.sort(order);
  }
}
