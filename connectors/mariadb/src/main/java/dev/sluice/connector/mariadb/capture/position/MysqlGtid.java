package dev.sluice.connector.mariadb.capture.position;

import java.util.UUID;

/**
 * The global name of a transaction of MySQL. A replica that logs what it replicates gives it the
 * same name. Immutable.
 *
 * @param server that committed it first
 * @param tag empty if it has none
 * @param number within those of the same server and tag
 */
public record MysqlGtid(UUID server, String tag, long number) {
  /**
   * Parses what {@link #toString} writes.
   *
   * @throws IllegalArgumentException if it is not of that form
   */
  public static MysqlGtid parse(String text) {
    String[] parts = text.split(":", -1);
    if (parts.length < 2 || parts.length > 3) {
      throw new IllegalArgumentException("not a GTID of MySQL: '" + text + "'");
    }
    return new MysqlGtid(
        UUID.fromString(parts[0]),
        parts.length == 3 ? parts[1] : "",
        Long.parseLong(parts[parts.length - 1]));
  }

  /** As the server writes it, with its tag between if it has one. */
  @Override
  public String toString() {
    return server + ":" + (tag.isEmpty() ? "" : tag + ":") + number;
  }
}
