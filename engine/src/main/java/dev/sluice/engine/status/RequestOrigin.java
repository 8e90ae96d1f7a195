package dev.sluice.engine.status;

import dev.sluice.config.task.ExternalOrigin;
import dev.sluice.config.task.HttpAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The headers by which a browser says for whom it sends a request. Tells requests of Sluice's
 * clients and of a monitoring system from those of a web page. Immutable.
 *
 * <p>A foreign web page can send a request from its own origin. Or it reaches the server under a
 * host name of its own that points to this machine (DNS rebinding); that is not possible under an
 * IP address.
 *
 * @param hosts the values of {@code Host}; a browser always sends one
 * @param origins the values of {@code Origin}; only browsers send it
 */
record RequestOrigin(List<String> hosts, List<String> origins) {
  private static final Pattern LOCAL =
      Pattern.compile(
          "(?i)(localhost|[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9a-f:.]+(%[^\\]]*)?\\])(:[0-9]+)?");

  /**
   * Why a request of this origin is refused; empty if it is accepted. What a proxy says about the
   * browser's request (forwarded headers) is never read: anybody can send it.
   *
   * @param configured where the server listens
   * @param externals where browsers reach it through a proxy, whether that passes {@code Host} on
   *     or not
   */
  Optional<String> problem(HttpAddress configured, List<ExternalOrigin> externals) {
    for (String host : hosts) {
      if (!isOwn(host, configured) && externals.stream().noneMatch(origin -> has(origin, host))) {
        return Optional.of(
            ("found Host: %s; expected an IP address, localhost or the host under http: or"
                    + " http-origins: in the task file. Use one of these in the URL")
                .formatted(host));
      }
    }
    for (String origin : origins) {
      boolean external = externals.stream().anyMatch(named -> named.text().equals(origin));
      boolean own =
          hosts.stream()
              .anyMatch(
                  host -> isOwn(host, configured) && origin.equalsIgnoreCase("http://" + host));
      if (!external && !own) {
        return Optional.of(
            ("found Origin: %s; expected none, or that of this server. A web page of elsewhere cannot"
                    + " send requests. The page behind a proxy with TLS: write its address under"
                    + " http-origins: in the task file")
                .formatted(origin));
      }
    }
    return Optional.empty();
  }

  private static boolean has(ExternalOrigin origin, String host) {
    return origin.host().equalsIgnoreCase(host);
  }

  private static boolean isOwn(String host, HttpAddress configured) {
    return LOCAL.matcher(host).matches()
        || host.replaceFirst(":[0-9]+$", "").equalsIgnoreCase(configured.host());
  }
}
