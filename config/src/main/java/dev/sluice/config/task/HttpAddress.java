package dev.sluice.config.task;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address on which the status server listens. Immutable.
 *
 * @param host without brackets, also for IPv6
 * @param port 0 to 65535; 0 is any free port
 */
public record HttpAddress(String host, int port) {

  public static final HttpAddress DEFAULT = new HttpAddress("127.0.0.1", 8080);

  private static final Pattern TEXT = Pattern.compile("(\\[[^\\]]+\\]|[^:\\[\\]]+):([0-9]{1,5})");
  private static final int HIGHEST_PORT = 65_535;

  /** Parses the form that {@link #toString} prints; empty if the text is not an address. */
  static Optional<HttpAddress> parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > HIGHEST_PORT) {
      return Optional.empty();
    }
    return Optional.of(
        new HttpAddress(
            matcher.group(1).replaceAll("[\\[\\]]", ""), Integer.parseInt(matcher.group(2))));
  }

  /** {@code host:port}, IPv6 addresses in brackets. */
  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
