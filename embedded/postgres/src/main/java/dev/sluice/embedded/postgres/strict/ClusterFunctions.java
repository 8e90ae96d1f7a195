package dev.sluice.embedded.postgres.strict;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Functions by which YugabyteDB lists the servers of a cluster, and PostgreSQL lacks. Threadsafe.
 *
 * @param listed at least one
 * @param measured none: the cluster does not have the function, as those of older releases
 */
record ClusterFunctions(
    Supplier<List<ListedServer>> listed, Supplier<List<MeasuredServer>> measured) {

  private static final Pattern SERVERS = Pattern.compile("\\byb_servers\\(\\)");

  private static final Pattern METRICS = Pattern.compile("\\byb_servers_metrics\\(\\)");

  private static final String LISTED =
      "(VALUES %s) AS yb_servers"
          + " (host, port, num_connections, node_type, cloud, region, zone, public_ip, uuid)";

  private static final String MEASURED =
      "(VALUES %s) AS yb_servers_metrics (uuid, metrics, status, error)";

  /** The statement with what the functions return in their places. */
  String rewritten(String sql) {
    String listing = replaced(sql, SERVERS, LISTED, listed.get(), ListedServer::row);
    return measured.get().isEmpty()
        ? listing
        : replaced(listing, METRICS, MEASURED, measured.get(), MeasuredServer::row);
  }

  private static <T> String replaced(
      String sql, Pattern function, String values, List<T> servers, Function<T, String> row) {
    Matcher found = function.matcher(sql);
    return found.find()
        ? found.replaceAll(
            Matcher.quoteReplacement(
                values.formatted(servers.stream().map(row).collect(Collectors.joining(", ")))))
        : sql;
  }
}
