package dev.sluice.connector.mariadb.definition;

import dev.sluice.config.TableId;
import java.nio.charset.StandardCharsets;

/**
 * Names of indexes and sequences on the target. MariaDB's are unique in their table only,
 * PostgreSQL's in their schema: so the table's name stands before. Stateless.
 */
final class ObjectName {
  private ObjectName() {}

  /** The name, which is cut and numbered if it is too long. */
  static String of(String table, String rest) {
    String name = table + "_" + rest;
    if (bytes(name) <= TableId.LONGEST_NAME) {
      return name;
    }
    String number = "_" + Integer.toHexString(name.hashCode());
    String begin = name;
    while (bytes(begin + number) > TableId.LONGEST_NAME) {
      begin = begin.substring(0, begin.offsetByCodePoints(begin.length(), -1));
    }
    return begin + number;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
