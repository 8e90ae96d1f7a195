package dev.sluice.config.task;

import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The type, address, user and password of a database. Immutable; prints no password.
 *
 * @param type as the task file names it
 * @param host without brackets, also for IPv6
 * @param port 1 to 65535
 * @param options connection properties of the JDBC driver from the url, such as sslmode
 */
public record Endpoint(
    String type,
    String host,
    int port,
    String database,
    String user,
    Secret password,
    Map<String, String> options) {

  public static final String POSTGRESQL = "postgresql";

  public Endpoint {
    options = Map.copyOf(options);
  }

  /** A PostgreSQL server. */
  public Endpoint(
      String host,
      int port,
      String database,
      String user,
      Secret password,
      Map<String, String> options) {
    this(POSTGRESQL, host, port, database, user, password, options);
  }

  /** The types of targets that this process can use, in alphabetical order. */
  public static List<String> targetTypes() {
    return EndpointTypes.targets().known().stream().map(EndpointType::name).toList();
  }

  /**
   * Reads the url of a target, such as {@code postgresql://user@host:port/database?sslmode=…}.
   *
   * @param type one of {@link #targetTypes}
   * @param thing the name of the url in messages
   * @throws SluiceException.Fatal with all problems of the url; a message shows names of options at
   *     most
   */
  public static Endpoint ofTarget(String type, String thing, String url, Secret password) {
    Problems problems = new Problems();
    TargetType known = EndpointTypes.targets().named(type).orElseThrow();
    Optional<Endpoint> endpoint =
        EndpointUrl.parse(known, new FileLocation(thing, 1, 1, ""), url, password, problems);
    problems.throwIfAny(thing);
    return endpoint.orElseThrow();
  }

  /** The type of target that has urls of this scheme; empty if none has. */
  public static Optional<String> typeOfTarget(String url) {
    int end = url.indexOf("://");
    return end < 0
        ? Optional.empty()
        : EndpointTypes.targets().known().stream()
            .filter(type -> type.url().accepts(url.substring(0, end)))
            .map(EndpointType::name)
            .findFirst();
  }

  /**
   * The JDBC url with the options, without user and password. A driver whose urls have another form
   * is given the parts.
   */
  public String jdbcUrl() {
    String query =
        new TreeMap<>(options)
            .entrySet().stream()
                .map(option -> encode(option.getKey()) + "=" + encode(option.getValue()))
                .collect(Collectors.joining("&"));
    return "jdbc:"
        + type
        + "://"
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
