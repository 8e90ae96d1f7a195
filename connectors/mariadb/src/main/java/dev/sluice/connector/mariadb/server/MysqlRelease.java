package dev.sluice.connector.mariadb.server;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server that greets as MySQL says of its release. Immutable.
 *
 * @param version such as {@code 9.7.4-2}
 * @param comment the name of the distribution
 * @param aurora whether it is Amazon's
 */
public record MysqlRelease(String version, String comment, boolean aurora) {
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)(\\..*)?");

  /** The oldest that has all statements that are used. */
  private static final int[] FIRST = {8, 4};

  /** The release whose servers run the tests. */
  private static final String TRIED = "9.7";

  /**
   * Servers that speak MySQL's protocol, and have no binary log of the same form, or none of the
   * whole database.
   */
  private static final Pattern OTHERS =
      Pattern.compile(
          "(?i).*(TiDB|Vitess|PlanetScale|OceanBase|StarRocks|Doris|SingleStore|MemSQL|PolarDB).*");

  private static final Pattern PERCONA = Pattern.compile("(?i).*Percona.*");

  /**
   * That of a server.
   *
   * @param variables of the server
   */
  public static MysqlRelease of(Map<String, String> variables) {
    return new MysqlRelease(
        variables.getOrDefault("version", ""),
        variables.getOrDefault("version_comment", ""),
        variables.containsKey("aurora_version"));
  }

  /** The oldest release that can be a source. */
  public static String first() {
    return FIRST[0] + "." + FIRST[1];
  }

  /** Another product that greets as MySQL; empty if it is MySQL. */
  public Optional<String> otherProduct() {
    return Optional.of((version + " " + comment).strip())
        .filter(text -> OTHERS.matcher(text).matches());
  }

  public boolean isSupported() {
    Matcher numbers = VERSION.matcher(version);
    return numbers.matches()
        && Arrays.compare(
                new int[] {Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2))},
                FIRST)
            >= 0;
  }

  /** A remark if no test has run with such a server. */
  public Optional<String> notTried() {
    if (aurora || PERCONA.matcher(comment).matches()) {
      return Optional.of(
          "it is %s %s: Sluice was not tried with it, only with MySQL %s"
              .formatted(aurora ? "Aurora" : comment, version, TRIED));
    }
    return version.startsWith(TRIED + ".")
        ? Optional.empty()
        : Optional.of(
            "it is version %s: Sluice was not tried with it, only with %s"
                .formatted(version, TRIED));
  }
}
