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
   * Those that can be reached before those that are left alone, then by preference, then those with
   * fewer sessions.
   *
   * @param sessions how many sessions the process has on a server
   * @param left whether a server could not be reached a moment ago
   * @param turn the number of the session: of equal servers each session begins with another one
   */
  static List<ClusterNode> of(
      List<ClusterNode> nodes,
      Spread spread,
      ToIntFunction<ClusterNode> sessions,
      Predicate<ClusterNode> left,
      int turn) {
    List<ClusterNode> ordered = new ArrayList<>(nodes);
    if (spread.keysOnly()) {
      ordered.removeIf(node -> spread.keys().preferenceOf(node.placement()).isEmpty());
    }
    if (!ordered.isEmpty()) {
      Collections.rotate(ordered, -Math.floorMod(turn, ordered.size()));
    }
    ordered.sort(
        Comparator.comparing((ClusterNode node) -> left.test(node))
            .thenComparingInt(
                node -> spread.keys().preferenceOf(node.placement()).orElse(Integer.MAX_VALUE))
            .thenComparingInt(sessions));
    return ordered;
  }
}
