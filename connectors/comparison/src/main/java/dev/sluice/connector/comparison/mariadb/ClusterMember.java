package dev.sluice.connector.comparison.mariadb;

import dev.sluice.config.document.Problem;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A server that shares its rows with others which may take writes, too: a node of Galera, or a
 * member of MySQL's Group Replication. What locks it, locks none of the others. Immutable.
 *
 * @param kind of the cluster
 * @param said the server's variables and status by name in lower case
 */
public record ClusterMember(Kind kind, Map<String, String> said) {
  private static final String VARIABLES =
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_on', 'pxc_strict_mode',"
          + " 'group_replication_group_name', 'group_replication_single_primary_mode')";

  private static final String STATUS =
      "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_cluster_status', 'wsrep_ready',"
          + " 'wsrep_cluster_size', 'wsrep_cluster_state_uuid')";

  /** A member that has left its group has no id there. */
  private static final String MEMBER =
      "SELECT '"
          + ClusterMember.STATE
          + "', MEMBER_STATE FROM performance_schema.replication_group_members"
          + " WHERE MEMBER_ID IN (@@server_uuid, '')";

  /** ER_TABLEACCESS_DENIED_ERROR. */
  private static final int MISSING_RIGHT = 1142;

  static final String STATE = "member_state";

  /** The kinds of clusters. */
  public enum Kind {
    GALERA("Galera", 1213),
    GROUP_REPLICATION("Group Replication", 3101);

    private final String label;
    private final int conflict;

    Kind(String label, int conflict) {
      this.label = label;
      this.conflict = conflict;
    }

    /** As people write it. */
    public String label() {
      return label;
    }

    /** The error of a commit for which another member was faster. */
    public int conflict() {
      return conflict;
    }
  }

  public ClusterMember {
    said = Map.copyOf(said);
  }

  /** Asks a server; empty if it belongs to no cluster. */
  public static Optional<ClusterMember> read(Connection session) throws SQLException {
    try (Statement statement = session.createStatement()) {
      Map<String, String> said = new HashMap<>(values(statement, VARIABLES));
      Optional<Kind> kind = kindOf(said);
      if (kind.isEmpty()) {
        return Optional.empty();
      }
      said.putAll(kind.get() == Kind.GALERA ? values(statement, STATUS) : state(statement));
      return of(said);
    }
  }

  /** The member by what a server says of itself; empty if it belongs to no cluster. */
  static Optional<ClusterMember> of(Map<String, String> said) {
    return kindOf(said).map(kind -> new ClusterMember(kind, said));
  }

  private static Optional<Kind> kindOf(Map<String, String> said) {
    if (said.getOrDefault("wsrep_on", "OFF").equalsIgnoreCase("ON")) {
      return Optional.of(Kind.GALERA);
    }
    return said.getOrDefault("group_replication_group_name", "").isEmpty()
        ? Optional.empty()
        : Optional.of(Kind.GROUP_REPLICATION);
  }

  private static Map<String, String> values(Statement statement, String query) throws SQLException {
    Map<String, String> values = new HashMap<>();
    try (ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        String value = row.getString(2);
        values.put(row.getString(1).toLowerCase(Locale.ROOT), value == null ? "" : value);
      }
    }
    return values;
  }

  private static Map<String, String> state(Statement statement) throws SQLException {
    try {
      return values(statement, MEMBER);
    } catch (SQLException e) {
      if (e.getErrorCode() != MISSING_RIGHT) {
        throw e;
      }
      return Map.of();
    }
  }

  /** What all members of the cluster have in common; empty if the server does not say it. */
  public Optional<String> identity() {
    String id =
        said.getOrDefault(
            kind == Kind.GALERA ? "wsrep_cluster_state_uuid" : "group_replication_group_name", "");
    return id.isEmpty() ? Optional.empty() : Optional.of(kind + " " + id);
  }

  /**
   * What keeps the member from being read or written to.
   *
   * @param thing the server, for messages
   */
  public List<Problem> problems(String thing) {
    List<Problem> problems = new ArrayList<>();
    if (kind == Kind.GALERA) {
      unlike("wsrep_cluster_status", "Primary")
          .ifPresent(found -> problems.add(notInOrder(thing, found)));
      unlike("wsrep_ready", "ON").ifPresent(found -> problems.add(notInOrder(thing, found)));
      String strict = said.getOrDefault("pxc_strict_mode", "").toUpperCase(Locale.ROOT);
      if (strict.equals("ENFORCING")) {
        problems.add(
            new Problem(
                thing,
                "pxc_strict_mode is %s, with which the server refuses GET_LOCK and LOCK TABLES"
                    .formatted(strict),
                "MASTER, if this node alone gets writes, or PERMISSIVE",
                "Run: SET GLOBAL pxc_strict_mode = MASTER, or = PERMISSIVE if other nodes get"
                    + " writes, too (and set it in the server's configuration), or name a server"
                    + " that is no node of a cluster"));
      }
    } else {
      unlike(STATE, "ONLINE").ifPresent(found -> problems.add(notInOrder(thing, found)));
    }
    return problems;
  }

  /** A value that is known and not the one that a member in order has. */
  private Optional<String> unlike(String name, String expected) {
    String value = said.getOrDefault(name, "");
    return value.isEmpty() || value.equalsIgnoreCase(expected)
        ? Optional.empty()
        : Optional.of(
            "it belongs to a cluster of %s, and its %s is %s, not %s"
                .formatted(kind.label(), name, value, expected));
  }

  private static Problem notInOrder(String thing, String found) {
    return new Problem(
        thing,
        found,
        "a member that has all rows of its cluster and may commit",
        "Write the address of a member into the url that is in order, or wait until this one is");
  }

  /** The member for a note: {@code a node of Galera (wsrep_on is ON, 3 nodes)}. */
  public String words() {
    if (kind == Kind.GALERA) {
      String size = said.getOrDefault("wsrep_cluster_size", "");
      return "a node of Galera (wsrep_on is ON%s)"
          .formatted(size.isEmpty() ? "" : ", wsrep_cluster_size is " + size);
    }
    return "a member of Group Replication (%s%s)"
        .formatted(
            said.getOrDefault("group_replication_single_primary_mode", "ON").equals("OFF")
                ? "with several primaries"
                : "with one primary",
            said.containsKey(STATE) ? "" : ", and its state is not known");
  }
}
