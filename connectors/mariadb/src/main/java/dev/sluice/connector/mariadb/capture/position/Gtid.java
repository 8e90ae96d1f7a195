package dev.sluice.connector.mariadb.capture.position;

import java.util.List;
import java.util.stream.Stream;

/**
 * The global name of a transaction of MariaDB. A replica that logs what it replicates gives it the
 * same name. Immutable.
 *
 * @param domain transactions of one domain have the same order on all servers
 * @param server that committed it first
 * @param number higher than those of all earlier transactions of the domain
 */
public record Gtid(long domain, long server, long number) {
  /**
   * Parses what {@link #toString} writes.
   *
   * @throws IllegalArgumentException if it is not of that form
   */
  public static Gtid parse(String text) {
    String[] parts = text.split("-", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("not a GTID of MariaDB: '" + text + "'");
    }
    return new Gtid(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
  }

  /** Parses a list with commas between; an empty text is an empty list. */
  public static List<Gtid> parseAll(String text) {
    return Stream.of(text.split(",")).filter(each -> !each.isEmpty()).map(Gtid::parse).toList();
  }

  /** Whether both were committed first by the same server, in the same domain. */
  public boolean isOfSameOrigin(Gtid other) {
    return domain == other.domain && server == other.server;
  }

  /** As the server writes it: {@code 0-1-4711}. */
  @Override
  public String toString() {
    return domain + "-" + server + "-" + number;
  }
}
