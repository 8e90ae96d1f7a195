package dev.sluice.connector.comparison.mariadb;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.SharedCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A server that shares its rows with others that may also take writes: a Galera node, or a member
 * of MySQL's Group Replication. A lock on it does not hold on the others. Immutable.
 *
 * @param kind of the cluster
 * @param said the server's variables and status by name in lower case
 * @param group the state of each member of its group by the id of its server; empty if it cannot be
 *     read, or there is none
 */
public record ClusterMember(Kind kind, Map<String, String> said, Map<String, String> group) {
  private static final String VARIABLES =
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_on', 'wsrep_provider',"
          + " 'pxc_strict_mode', 'group_replication_group_name',"
          + " 'group_replication_single_primary_mode', 'server_uuid', 'super_read_only')";

  private static final String STATUS =
      "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_cluster_status', 'wsrep_ready',"
          + " 'wsrep_cluster_size', 'wsrep_cluster_state_uuid')";

  private static final String GROUP =
      "SELECT MEMBER_ID, MEMBER_STATE FROM performance_schema.replication_group_members";

  /** ER_TABLEACCESS_DENIED_ERROR. */
  private static final int MISSING_RIGHT = 1142;

  private static final String STATE = "member_state";

  /** Set on a server that belongs to a group, or whose configuration still says so. */
  private static final String GROUP_NAME = "group_replication_group_name";

  /** The id, if there is one, of a server that never belonged to a cluster. */
  private static final String NO_ID = "00000000-0000-0000-0000-000000000000";

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

    /** The name of the cluster in messages. */
    public String label() {
      return label;
    }

    /** The error of a commit that conflicts with one of another member. */
    public int conflict() {
      return conflict;
    }
  }

  public ClusterMember {
    said = Map.copyOf(said);
    group = Map.copyOf(group);
  }

  /** Reads it from a server; empty if that belongs to no cluster. */
  public static Optional<ClusterMember> read(Connection session) throws SQLException {
    try (Statement statement = session.createStatement()) {
      Map<String, String> said = new HashMap<>(values(statement, VARIABLES));
      said.putAll(values(statement, STATUS));
      return of(said, said.getOrDefault(GROUP_NAME, "").isEmpty() ? Map.of() : group(statement));
    }
  }

  /** The member by a server's variables and status; empty if it belongs to no cluster. */
  static Optional<ClusterMember> of(Map<String, String> said, Map<String, String> group) {
    if (isNode(said)) {
      return Optional.of(new ClusterMember(Kind.GALERA, said, Map.of()));
    }
    if (said.getOrDefault(GROUP_NAME, "").isEmpty()) {
      return Optional.empty();
    }
    ClusterMember member = new ClusterMember(Kind.GROUP_REPLICATION, said, group);
    return member.isAlone() ? Optional.empty() : Optional.of(member);
  }

  /**
   * On Percona's server {@code wsrep_on} exists only for each session, so a name of the cluster
   * counts as well. Any MariaDB server has these variables, but without a provider.
   */
  private static boolean isNode(Map<String, String> said) {
    String provider = said.getOrDefault("wsrep_provider", "");
    if (provider.equalsIgnoreCase("none")) {
      return false;
    }
    return said.containsKey("wsrep_on") && said.get("wsrep_on").equalsIgnoreCase("ON")
        || idOfGalera(said).isPresent()
        || !said.containsKey("wsrep_on") && !provider.isEmpty();
  }

  private static Optional<String> idOfGalera(Map<String, String> said) {
    return Optional.ofNullable(said.get("wsrep_cluster_state_uuid"))
        .filter(id -> !id.isEmpty() && !id.equals(NO_ID));
  }

  /**
   * Whether it runs outside the group that its configuration names. The server makes itself
   * read-only as it leaves a group: its rows may be old.
   */
  private boolean isAlone() {
    return state().equalsIgnoreCase("OFFLINE")
        && !said.getOrDefault("super_read_only", "OFF").equalsIgnoreCase("ON");
  }

  /** Its state in its group; empty if it is not known. */
  private String state() {
    return Stream.of(said.getOrDefault("server_uuid", ""), "")
        .map(group::get)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse("");
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

  private static Map<String, String> group(Statement statement) throws SQLException {
    try {
      return values(statement, GROUP);
    } catch (SQLException e) {
      if (e.getErrorCode() != MISSING_RIGHT) {
        throw e;
      }
      return Map.of();
    }
  }

  /**
   * The cluster; empty if the server does not show which. A group's name may be copied with a
   * configuration, its list of members is not.
   */
  public Optional<SharedCluster> cluster() {
    if (kind == Kind.GALERA) {
      return idOfGalera(said)
          .map(id -> new SharedCluster("%s %s".formatted(kind.label(), id), Set.of(id)));
    }
    return Optional.of(
        new SharedCluster(
            "%s %s".formatted(kind.label(), said.get(GROUP_NAME)),
            group.keySet().stream()
                .filter(member -> !member.isEmpty())
                .collect(Collectors.toSet())));
  }

  /**
   * The problems that prevent reading from the member or writing to it.
   *
   * @param thing the server, for messages
   */
  public List<Problem> problems(String thing) {
    List<Problem> problems = new ArrayList<>();
    if (kind == Kind.GALERA) {
      inOrder(thing, "wsrep_cluster_status", "Primary").ifPresent(problems::add);
      inOrder(thing, "wsrep_ready", "ON").ifPresent(problems::add);
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
      inOrder(thing, STATE, "ONLINE").ifPresent(problems::add);
    }
    return problems;
  }

  /** The problem of a value that is known and differs from that of a healthy member. */
  private Optional<Problem> inOrder(String thing, String name, String expected) {
    String value = name.equals(STATE) ? state() : said.getOrDefault(name, "");
    return value.isEmpty() || value.equalsIgnoreCase(expected)
        ? Optional.empty()
        : Optional.of(
            new Problem(
                thing,
                "it belongs to a cluster of %s, and its %s is %s, not %s"
                    .formatted(kind.label(), name, value, expected),
                "a member that has all rows of its cluster and may commit",
                "Write the address of a healthy member into the url, or wait until this one is healthy"
                    + (value.equalsIgnoreCase("OFFLINE")
                        ? ". If it belongs to no group any more, and has all rows that you want,"
                            + " run there: UNINSTALL PLUGIN group_replication"
                        : "")));
  }

  /** The member for a note: {@code a node of Galera (wsrep_cluster_size is 3)}. */
  public String words() {
    if (kind == Kind.GALERA) {
      String size = said.getOrDefault("wsrep_cluster_size", "");
      return "a node of Galera"
          + (size.isEmpty() ? "" : " (wsrep_cluster_size is %s)".formatted(size));
    }
    return "a member of Group Replication (%s%s)"
        .formatted(
            said.getOrDefault("group_replication_single_primary_mode", "ON").equals("OFF")
                ? "with several primaries"
                : "with one primary",
            state().isEmpty() ? ", and its state is not known" : "");
  }
}
