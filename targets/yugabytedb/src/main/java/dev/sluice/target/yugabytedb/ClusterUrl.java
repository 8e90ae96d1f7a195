package dev.sluice.target.yugabytedb;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The url of a cluster's servers. Pure. */
final class ClusterUrl {
  /** The option with further hosts. */
  static final String HOSTS = "hosts";

  private static final String SCHEME = "jdbc:yugabytedb://";

  /** That of PostgreSQL's driver, which tries one host after the other. */
  private static final String DRIVERS_SCHEME = "jdbc:postgresql://";

  private static final Pattern HOST = Pattern.compile("([\\w.-]+|\\[[0-9a-fA-F:.]+])(:\\d{1,5})?");

  private ClusterUrl() {}

  /**
   * The url as the driver reads it.
   *
   * @throws SluiceException.Fatal if a further host is none
   */
  static String ofDriver(String jdbcUrl) {
    if (!jdbcUrl.startsWith(SCHEME)) {
      return jdbcUrl;
    }
    String rest = jdbcUrl.substring(SCHEME.length());
    int query = rest.indexOf('?');
    String address = query < 0 ? rest : rest.substring(0, query);
    List<String> options = new ArrayList<>();
    StringBuilder hosts = new StringBuilder(address.substring(0, address.indexOf('/')));
    for (String option : query < 0 ? new String[0] : rest.substring(query + 1).split("&")) {
      if (option.startsWith(HOSTS + "=")) {
        further(option.substring(HOSTS.length() + 1))
            .forEach(host -> hosts.append(',').append(host));
      } else {
        options.add(option);
      }
    }
    return DRIVERS_SCHEME
        + hosts
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
