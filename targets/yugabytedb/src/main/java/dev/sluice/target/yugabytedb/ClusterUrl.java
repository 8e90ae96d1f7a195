package dev.sluice.target.yugabytedb;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

/** The url of a cluster's servers. Pure. */
final class ClusterUrl {
  /** The option with further hosts. */
  static final String HOSTS = "hosts";

  /** The option by which sessions are spread over all hosts. */
  static final String LOAD_BALANCE = "load-balance";

  private static final String SPREAD = LOAD_BALANCE + "=true";

  private static final String SCHEME = "jdbc:yugabytedb://";

  /** That of PostgreSQL's driver, which tries one host after the other. */
  private static final String DRIVERS_SCHEME = "jdbc:postgresql://";

  private static final Pattern HOST = Pattern.compile("([\\w.-]+|\\[[0-9a-fA-F:.]+])(:\\d{1,5})?");

  private ClusterUrl() {}

  /**
   * The url as the driver reads it, which tries the hosts in their order.
   *
   * @param turn the number of the session; of those that are spread each begins with the host after
   *     that of the one before it
   * @throws SluiceException.Fatal if a further host is none
   */
  static String ofDriver(String jdbcUrl, int turn) {
    if (!jdbcUrl.startsWith(SCHEME)) {
      return jdbcUrl;
    }
    String rest = jdbcUrl.substring(SCHEME.length());
    int query = rest.indexOf('?');
    String address = query < 0 ? rest : rest.substring(0, query);
    List<String> options = new ArrayList<>();
    List<String> hosts = new ArrayList<>(List.of(address.substring(0, address.indexOf('/'))));
    boolean spread = false;
    for (String option : query < 0 ? new String[0] : rest.substring(query + 1).split("&")) {
      if (option.startsWith(HOSTS + "=")) {
        hosts.addAll(further(option.substring(HOSTS.length() + 1)));
      } else if (option.startsWith(LOAD_BALANCE + "=")) {
        spread = option.equals(SPREAD);
      } else {
        options.add(option);
      }
    }
    if (spread) {
      Collections.rotate(hosts, -Math.floorMod(turn, hosts.size()));
    }
    return DRIVERS_SCHEME
        + String.join(",", hosts)
        + address.substring(address.indexOf('/'))
        + (options.isEmpty() ? "" : "?" + String.join("&", options));
  }

  private static List<String> further(String encoded) {
    List<String> hosts = List.of(URLDecoder.decode(encoded, StandardCharsets.UTF_8).split(",", -1));
    for (String host : hosts) {
      if (!HOST.matcher(host).matches()) {
        throw new SluiceException.Fatal(
            new Problem(
                "target.url",
                "its option %s has \"%s\"".formatted(HOSTS, host),
                "hosts with their ports: host:port,host:port",
                "Write the further hosts of the cluster, without blanks"));
      }
    }
    return hosts.stream().map(host -> host.matches(".*:\\d+") ? host : host + ":5433").toList();
  }
}
