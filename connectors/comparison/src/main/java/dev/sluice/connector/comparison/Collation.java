package dev.sluice.connector.comparison;

import java.util.Optional;
import java.util.Set;

/**
 * A collation as a server has it. Immutable.
 *
 * @param name for messages
 * @param provider the catalog's letter: c for the operating system's library, i for ICU, b for the
 *     server's own
 * @param locale null if unknown
 * @param rules of ICU beside the locale; null for none
 * @param recordedVersion the version with which indexes were built; null if none is recorded
 * @param actualVersion the version at present; null if the provider has none
 */
record Collation(
    String name,
    String provider,
    String locale,
    String rules,
    boolean deterministic,
    String recordedVersion,
    String actualVersion) {

  /** Encodings whose bytes have the order of Unicode's code points. */
  private static final Set<String> BY_CODE_POINT = Set.of("UTF8", "LATIN1", "SQL_ASCII");

  private static final Set<String> BY_BYTES = Set.of("C", "POSIX");

  /**
   * A name of the sort order, the same on all servers with the same order.
   *
   * @return empty if that is not known
   */
  Optional<String> order(String encoding) {
    if (!"i".equals(provider) && BY_BYTES.contains(String.valueOf(locale))) {
      return Optional.of("bytes of " + (BY_CODE_POINT.contains(encoding) ? "UTF8" : encoding));
    }
    if (locale == null || actualVersion == null || isStale()) {
      return Optional.empty();
    }
    return Optional.of(
        String.join(
            " ",
            provider,
            locale,
            actualVersion,
            String.valueOf(rules),
            deterministic ? "deterministic" : "nondeterministic"));
  }

  /** Whether indexes were built with another version. */
  boolean isStale() {
    return recordedVersion != null
        && actualVersion != null
        && !recordedVersion.equals(actualVersion);
  }

  /** The problem and its fix. */
  String staleMessage(String side, String column) {
    return ("%s: indexes over column %s were built with version %s of collation %s, and the system"
            + " has version %s now, which may order differently. REINDEX the table, then ALTER"
            + " COLLATION or DATABASE … REFRESH COLLATION VERSION.")
        .formatted(side, column, recordedVersion, name, actualVersion);
  }
}
