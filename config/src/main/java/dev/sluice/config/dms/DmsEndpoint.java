package dev.sluice.config.dms;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One endpoint of DMS, as far as a task file takes it. Immutable; holds no password.
 *
 * @param sslMode of DMS; empty if DMS asks for no encryption
 * @param notes what is not taken
 */
record DmsEndpoint(DmsEngine engine, Address address, String sslMode, List<String> notes) {
  /** The sides of a task, as a task file and messages name them. */
  static final String SOURCE = "source";

  static final String TARGET = "target";

  /** Where the database is. What DMS does not say is empty. */
  record Address(String host, String port, String database, String user) {}

  DmsEndpoint {
    notes = List.copyOf(notes);
  }

  /** Of which nothing is known. */
  static final DmsEndpoint UNKNOWN =
      new DmsEndpoint(DmsEngine.POSTGRESQL, new Address("", "", "", ""), "", List.of());

  /** The same with another database, and a note that says why. */
  DmsEndpoint withDatabase(String database, String note) {
    List<String> all = new ArrayList<>(notes);
    all.add(note);
    return new DmsEndpoint(
        engine,
        new Address(address.host(), address.port(), database, address.user()),
        sslMode,
        all);
  }

  /**
   * The url for a task file. What is not known has a name that leads nowhere.
   *
   * @param side {@code source} or {@code target}
   */
  String url(String side) {
    String option = isEncrypted() ? engine.encryption(side, sslMode) : "";
    return engine.type(side)
        + "://"
        + encode(address.user().isEmpty() ? "user" : address.user())
        + "@"
        + hostAndPort(side)
        + "/"
        + encode(database())
        + (option.isEmpty() ? "" : "?" + option);
  }

  /** The url by which IBM's driver reaches a Db2 source through TLS. */
  String encryptedJdbcUrl(String side) {
    return "jdbc:db2://" + hostAndPort(side) + "/" + database() + ":sslConnection=true;";
  }

  boolean isEncrypted() {
    return !sslMode.isEmpty();
  }

  private String hostAndPort(String side) {
    String name = address.host().isEmpty() ? side + ".example" : address.host();
    return (name.contains(":") ? "[" + name + "]" : name)
        + ":"
        + (address.port().isEmpty() ? engine.defaultPort() : address.port());
  }

  private String database() {
    return address.database().isEmpty() ? "database" : address.database();
  }

  /** What the url has a made-up name for. */
  List<String> missing() {
    return Stream.of(
            address.host().isEmpty() ? "host" : "",
            address.port().isEmpty() ? "port" : "",
            address.database().isEmpty() ? "database" : "",
            address.user().isEmpty() ? "user" : "")
        .filter(part -> !part.isEmpty())
        .toList();
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
