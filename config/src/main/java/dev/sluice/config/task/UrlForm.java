package dev.sluice.config.task;

import java.util.List;
import java.util.Map;

/**
 * The form of the urls of one type of database: {@code scheme://user@host:port/database?option=…}.
 * Immutable.
 *
 * @param scheme at the start, without {@code ://}
 * @param aliases schemes that are accepted, too
 * @param defaultPort if the url has none
 * @param options the names of the options that a url may have
 * @param choices the values of those options that do not take any text
 */
public record UrlForm(
    String scheme,
    List<String> aliases,
    int defaultPort,
    List<String> options,
    Map<String, List<String>> choices) {

  /** PostgreSQL's, as a source, a target and in Kafka Connect. */
  public static final UrlForm POSTGRESQL =
      new UrlForm(
          Endpoint.POSTGRESQL,
          List.of("postgres"),
          5432,
          List.of(
              "sslmode",
              "sslrootcert",
              "sslcert",
              "sslkey",
              "sslNegotiation",
              "channelBinding",
              "gssEncMode",
              "connectTimeout",
              "loginTimeout",
              "socketTimeout",
              "tcpKeepAlive",
              "ApplicationName"),
          Map.of(
              "sslmode",
              List.of("disable", "allow", "prefer", "require", "verify-ca", "verify-full")));

  public UrlForm {
    aliases = List.copyOf(aliases);
    options = List.copyOf(options);
    choices = Map.copyOf(choices);
  }

  /** An example, for messages. */
  String example() {
    return scheme + "://user@host:port/database";
  }

  /** Whether a url of that scheme has this form; null, a url without a scheme, never has. */
  boolean accepts(String given) {
    return given != null && (scheme.equals(given) || aliases.contains(given));
  }
}
