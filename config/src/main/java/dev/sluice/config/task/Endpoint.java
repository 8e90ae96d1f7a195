package dev.sluice.config.task;

import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A database to connect to. Immutable; prints no password.
 *
 * @param host without brackets, also for IPv6
 * @param port 1 to 65535
 * @param options pgjdbc's connection properties from the url, such as sslmode
 */
public record Endpoint(
    String host,
    int port,
    String database,
    String user,
    Secret password,
    Map<String, String> options) {

  public Endpoint {
    options = Map.copyOf(options);
  }

  /**
   * Reads {@code postgresql://user@host:port/database?sslmode=…}.
   *
   * @param thing what messages call the url
   * @throws SluiceException.Fatal with every problem of the url; none shows a part of it
   */
  public static Endpoint parse(String thing, String url, Secret password) {
    Problems problems = new Problems();
    Optional<Endpoint> endpoint =
        EndpointUrl.parse(new FileLocation(thing, 1, 1, ""), url, password, problems);
    problems.throwIfAny(thing);
    return endpoint.orElseThrow();
  }

  /** The url for pgjdbc with the options, without user and password. */
  public String jdbcUrl() {
    String query =
        new TreeMap<>(options)
            .entrySet().stream()
                .map(option -> encode(option.getKey()) + "=" + encode(option.getValue()))
                .collect(Collectors.joining("&"));
    return "jdbc:postgresql://"
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + port
        + "/"
        + encode(database)
        + (query.isEmpty() ? "" : "?" + query);
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** {@code user@host:port/database}, for messages. */
  @Override
  public String toString() {
    return user
        + "@"
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + port
        + "/"
        + database;
  }
}
