package dev.sluice.config.dms;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/**
 * One endpoint of DMS, as far as a task file takes it. Immutable; holds no password.
 *
 * @param host empty if DMS does not say it, as the next ones
 * @param sslMode as a url has it; empty if DMS asks for no encryption
 * @param notes what is not taken
 */
record DmsEndpoint(
    String host, String port, String database, String user, String sslMode, List<String> notes) {

  DmsEndpoint {
    notes = List.copyOf(notes);
  }

  /** Of which nothing is known. */
  static final DmsEndpoint UNKNOWN = new DmsEndpoint("", "", "", "", "", List.of());

  /**
   * The url for a task file. What is not known has a name that leads nowhere.
   *
   * @param side {@code source} or {@code target}
   */
  String url(String side) {
    String name = host.isEmpty() ? side + ".example" : host;
    return "postgresql://"
        + encode(user.isEmpty() ? "user" : user)
        + "@"
        + (name.contains(":") ? "[" + name + "]" : name)
        + ":"
        + (port.isEmpty() ? "5432" : port)
        + "/"
        + encode(database.isEmpty() ? "database" : database)
        + (sslMode.isEmpty() ? "" : "?sslmode=" + sslMode);
  }

  /** What the url has a made-up name for. */
  List<String> missing() {
    return Stream.of(
            host.isEmpty() ? "host" : "",
            port.isEmpty() ? "port" : "",
            database.isEmpty() ? "database" : "",
            user.isEmpty() ? "user" : "")
        .filter(part -> !part.isEmpty())
        .toList();
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
