package dev.sluice.embedded.postgres.strict;

/**
 * A server as {@code yb_servers()} lists it, on loopback. Immutable.
 *
 * @param type {@code primary} or {@code read_replica}
 * @param placement cloud, region and zone, with dots between them
 */
public record ListedServer(int port, String type, String placement) {
  private static final String LOOPBACK = "127.0.0.1";

  public static ListedServer primary(int port, String placement) {
    return new ListedServer(port, "primary", placement);
  }

  /** Its row, with the columns of the function. */
  String row() {
    String[] parts = placement.split("\\.");
    return "('%1$s'::text, %2$d::bigint, 0::bigint, '%3$s'::text, '%4$s'::text, '%5$s'::text, '%6$s'::text, ''::text, md5('%2$d'))"
        .formatted(LOOPBACK, port, type, parts[0], parts[1], parts[2]);
  }
}
