package dev.sluice.target.yugabytedb.cluster;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The url of a cluster, with the options that YugabyteDB's driver has for its servers. Immutable.
 *
 * @param hosts with their ports, in the order of the url
 * @param database the end of the url's address, with its slash
 * @param options those of PostgreSQL's driver, as in the url
 * @param spread how sessions are spread; empty if each session tries the first host first
 */
public record ClusterUrl(
    List<String> hosts, String database, List<String> options, Optional<Spread> spread) {
  /** The option that spreads sessions over all servers. */
  public static final String LOAD_BALANCE = "load-balance";

  /** The option that excludes servers of other placements. */
  public static final String KEYS_ONLY = "fallback-to-topology-keys-only";

  static final String HOSTS = "hosts";
  static final String TOPOLOGY_KEYS = "topology-keys";
  static final String REFRESH = "yb-servers-refresh-interval";
  static final String LEAVE = "failed-host-reconnect-delay-secs";

  static final String THING = "target.url";

  /** The options that say how sessions are spread; they need {@link #LOAD_BALANCE}. */
  private static final List<String> OF_SPREAD = List.of(TOPOLOGY_KEYS, KEYS_ONLY, REFRESH, LEAVE);

  private static final String TRUE = "true";

  private static final int MOST_REFRESH = 600;
  private static final int MOST_LEAVE = 60;
  private static final int USUAL_REFRESH = 300;
  private static final int USUAL_LEAVE = 5;

  private static final String SCHEME = "jdbc:yugabytedb://";

  /** That of PostgreSQL's driver, which tries one host after the other. */
  private static final String DRIVERS_SCHEME = "jdbc:postgresql://";

  private static final Pattern HOST = Pattern.compile("([\\w.-]+|\\[[0-9a-fA-F:.]+])(:\\d{1,5})?");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,3}");

  public ClusterUrl {
    hosts = List.copyOf(hosts);
    options = List.copyOf(options);
  }

  /** The options that PostgreSQL's driver does not have. */
  public static List<String> ownOptions() {
    List<String> names = new ArrayList<>(List.of(HOSTS, LOAD_BALANCE));
    names.addAll(OF_SPREAD);
    return names;
  }

  /**
   * Reads the url of a cluster; empty if it has the scheme of another database.
   *
   * @throws dev.sluice.config.document.SluiceException.Fatal with all problems of its options
   */
  public static Optional<ClusterUrl> read(String jdbcUrl) {
    if (!jdbcUrl.startsWith(SCHEME)) {
      return Optional.empty();
    }
    String rest = jdbcUrl.substring(SCHEME.length());
    int query = rest.indexOf('?');
    String address = query < 0 ? rest : rest.substring(0, query);
    Map<String, String> own = new LinkedHashMap<>();
    List<String> others = new ArrayList<>();
    for (String option : query < 0 ? new String[0] : rest.substring(query + 1).split("&")) {
      int value = option.indexOf('=') + 1;
      String name = option.substring(0, Math.max(0, value - 1));
      if (ownOptions().contains(name)) {
        own.put(name, URLDecoder.decode(option.substring(value), StandardCharsets.UTF_8));
      } else {
        others.add(option);
      }
    }
    Problems problems = new Problems();
    List<String> hosts = new ArrayList<>(List.of(address.substring(0, address.indexOf('/'))));
    if (own.containsKey(HOSTS)) {
      hosts.addAll(further(own.get(HOSTS), problems));
    }
    Optional<Spread> spread = spread(own, problems);
    problems.throwIfAny();
    return Optional.of(
        new ClusterUrl(hosts, address.substring(address.indexOf('/')), others, spread));
  }

  private static List<String> further(String text, Problems problems) {
    List<String> hosts = List.of(text.split(",", -1));
    for (String host : hosts) {
      if (!HOST.matcher(host).matches()) {
        problems.add(
            new Problem(
                THING,
                "its option %s has \"%s\"".formatted(HOSTS, host),
                "hosts with their ports: host:port,host:port",
                "Write the further hosts of the cluster, without spaces"));
      }
    }
    return hosts.stream().map(host -> host.matches(".*:\\d+") ? host : host + ":5433").toList();
  }

  private static Optional<Spread> spread(Map<String, String> own, Problems problems) {
    boolean spread = TRUE.equals(own.get(LOAD_BALANCE));
    Map<String, String> without = new TreeMap<>(own);
    without.keySet().retainAll(OF_SPREAD);
    if (!spread && !without.isEmpty()) {
      problems.add(
          new Problem(
              THING,
              "its options %s say how sessions are spread, and %s is not true"
                  .formatted(String.join(", ", without.keySet()), LOAD_BALANCE),
              LOAD_BALANCE + "=true together with them",
              "Add %s=true, or remove these options".formatted(LOAD_BALANCE)));
    }
    TopologyKeys keys =
        own.containsKey(TOPOLOGY_KEYS)
            ? TopologyKeys.read(own.get(TOPOLOGY_KEYS), problems)
            : TopologyKeys.NONE;
    boolean keysOnly = TRUE.equals(own.get(KEYS_ONLY));
    if (keysOnly && !own.containsKey(TOPOLOGY_KEYS)) {
      problems.add(
          new Problem(
              THING,
              "its option %s is true, and there is no %s".formatted(KEYS_ONLY, TOPOLOGY_KEYS),
              "the placements to which sessions are restricted",
              "Add %s, or remove %s".formatted(TOPOLOGY_KEYS, KEYS_ONLY)));
    }
    Spread read =
        new Spread(
            keys,
            keysOnly,
            seconds(own, REFRESH, USUAL_REFRESH, MOST_REFRESH, problems),
            seconds(own, LEAVE, USUAL_LEAVE, MOST_LEAVE, problems));
    return spread ? Optional.of(read) : Optional.empty();
  }

  private static Duration seconds(
      Map<String, String> own, String option, int usual, int most, Problems problems) {
    String text = own.getOrDefault(option, Integer.toString(usual));
    if (!NUMBER.matcher(text).matches() || Integer.parseInt(text) > most) {
      problems.add(
          new Problem(
              THING,
              "its option %s is \"%s\"".formatted(option, text),
              "a number of seconds from 0 to " + most,
              "Write such a number, or remove the option: then it is " + usual));
      return Duration.ofSeconds(usual);
    }
    return Duration.ofSeconds(Integer.parseInt(text));
  }

  /** The url as PostgreSQL's driver reads it, which tries these hosts in their order. */
  public String ofDriver(List<String> addresses) {
    return DRIVERS_SCHEME
        + String.join(",", addresses)
        + database
        + (options.isEmpty() ? "" : options.stream().collect(Collectors.joining("&", "?", "")));
  }
}
