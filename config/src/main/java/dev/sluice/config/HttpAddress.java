package dev.sluice.config;

/**
 * Where the status server listens. Immutable.
 *
 * @param host without brackets, also for IPv6
 * @param port 0 to 65535; 0 takes any free one
 */
public record HttpAddress(String host, int port) {

  public static final HttpAddress DEFAULT = new HttpAddress("127.0.0.1", 8080);

  /** {@code host:port}, IPv6 addresses in brackets. */
  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
