package dev.sluice.target.db2;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * A url of the task file in the parts that Db2's driver takes. Immutable.
 *
 * @param jdbc without options
 * @param options of the driver, by name
 */
record Db2Url(String jdbc, Map<String, String> options) {
  static final String ENCRYPTED = "sslConnection";

  static Db2Url of(String jdbcUrl) {
    int query = jdbcUrl.indexOf('?');
    if (query < 0) {
      return new Db2Url(jdbcUrl, Map.of());
    }
    Map<String, String> options = new TreeMap<>();
    for (String option : jdbcUrl.substring(query + 1).split("&")) {
      int equal = option.indexOf('=');
      options.put(decoded(option.substring(0, equal)), decoded(option.substring(equal + 1)));
    }
    return new Db2Url(jdbcUrl.substring(0, query), options);
  }

  /** Whether the url says if its sessions are encrypted. */
  boolean saysEncryption() {
    return options.containsKey(ENCRYPTED);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
