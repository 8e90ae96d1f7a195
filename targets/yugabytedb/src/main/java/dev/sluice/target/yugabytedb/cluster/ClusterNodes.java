package dev.sluice.target.yugabytedb.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads which servers a cluster has. Stateless. */
public final class ClusterNodes {
  private static final String LISTED =
      "SELECT host, port, cloud, region, zone, public_ip FROM yb_servers()"
          + " WHERE node_type = 'primary' ORDER BY host, port";

  private static final String COUNTED =
      "SELECT count(*) FROM yb_servers() WHERE node_type = 'primary'";

  private ClusterNodes() {}

  /**
   * A server as the cluster lists it. It may have a public address for clients outside of its
   * network.
   */
  record Listed(String host, String publicHost, int port, Placement placement) {}

  /** The number of servers without read replicas. */
  public static int count(Connection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(COUNTED)) {
      row.next();
      return row.getInt(1);
    }
  }

  /**
   * The servers without read replicas.
   *
   * @param asked the hosts of the url
   */
  static List<ClusterNode> read(Connection session, List<String> asked) throws SQLException {
    List<Listed> listed = new ArrayList<>();
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(LISTED)) {
      while (row.next()) {
        listed.add(
            new Listed(
                row.getString(1),
                row.getString(6),
                row.getInt(2),
                new Placement(row.getString(3), row.getString(4), row.getString(5))));
      }
    }
    return reachable(listed, withAddresses(asked));
  }

  /**
   * The servers by their public addresses, if the url has one of these and no private one.
   *
   * @param asked the hosts of the url, by name and by address
   */
  static List<ClusterNode> reachable(List<Listed> listed, Set<String> asked) {
    boolean publicly =
        listed.stream().noneMatch(node -> asked.contains(node.host()))
            && listed.stream().anyMatch(node -> asked.contains(node.publicHost()))
            && listed.stream().noneMatch(node -> isMissing(node.publicHost()));
    return listed.stream()
        .map(
            node ->
                ClusterNode.of(
                    publicly ? node.publicHost() : node.host(), node.port(), node.placement()))
        .toList();
  }

  private static boolean isMissing(String host) {
    return host == null || host.isEmpty();
  }

  private static Set<String> withAddresses(List<String> asked) {
    Set<String> all = new HashSet<>();
    for (String address : asked) {
      String host = ClusterNode.hostOf(address);
      all.add(host);
      try {
        for (InetAddress each : InetAddress.getAllByName(host)) {
          all.add(each.getHostAddress());
        }
      } catch (UnknownHostException e) {
        // Ignored, since another host of the url has answered.
      }
    }
    return all;
  }
}
