package dev.sluice.engine.status;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Parses a request's query. Stateless. */
public final class QueryString {
  private QueryString() {}

  /** Returns values by name; for a repeated name the last value. */
  public static Map<String, String> parse(URI uri) {
    Map<String, String> values = new HashMap<>();
    String query = uri.getRawQuery();
    if (query == null) {
      return values;
    }
    for (String part : query.split("&")) {
      int equals = part.indexOf('=');
      String name = equals < 0 ? part : part.substring(0, equals);
      String value = equals < 0 ? "" : part.substring(equals + 1);
      values.put(decode(name), decode(value));
    }
    return values;
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
