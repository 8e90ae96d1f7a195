package dev.sluice.config.dms;

import dev.sluice.config.document.Node;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Names what an endpoint of DMS has and a task file does not take. Used for one endpoint. */
final class DmsEndpointNotes {
  private static final String SSL = "SslMode";
  private static final String ATTRIBUTES = "ExtraConnectionAttributes";

  private final String side;
  private final DmsEngine engine;
  private final List<String> notes = new ArrayList<>();

  private DmsEndpointNotes(String side, DmsEngine engine) {
    this.side = side;
    this.engine = engine;
  }

  /**
   * @param own the settings of its engine
   * @param taken the keys that the task file takes
   */
  static List<String> of(
      String side,
      DmsEngine engine,
      Node.Mapping endpoint,
      Optional<Node.Mapping> own,
      Collection<String> taken) {
    DmsEndpointNotes found = new DmsEndpointNotes(side, engine);
    for (Node.Entry entry : endpoint.entries()) {
      if (!(entry.value() instanceof Node.Mapping settings && own.equals(Optional.of(settings)))) {
        found.add(entry, taken);
      }
    }
    own.ifPresent(settings -> settings.entries().forEach(entry -> found.add(entry, taken)));
    return found.notes;
  }

  private void add(Node.Entry entry, Collection<String> taken) {
    if (entry.value() instanceof Node.Nothing || taken.contains(entry.key())) {
      return;
    }
    String value = NotedValue.of(entry.value());
    if (entry.key().equals(SSL)) {
      ofEncryption(value).ifPresent(text -> add(SSL + " " + value + " — " + text));
    } else if (entry.key().equals(ATTRIBUTES)
        && engine != DmsEngine.POSTGRESQL
        && entry.value() instanceof Node.Text attributes) {
      DmsConnectionAttributes.notes(engine, attributes.text()).forEach(this::add);
    } else {
      add(DmsEndpointSetting.note(engine, entry.key(), value));
    }
  }

  private void add(String note) {
    notes.add(side + " endpoint: " + note);
  }

  private Optional<String> ofEncryption(String mode) {
    boolean none = mode.equals("none");
    boolean verifies = mode.startsWith("verify");
    return switch (engine) {
      case POSTGRESQL ->
          none
              ? Optional.of(
                  "without sslmode in the url the connection is encrypted if the server can")
              : Optional.of(
                      "taken; the url still needs &sslrootcert=/path, a file with the certificate"
                          + " of the server's authority")
                  .filter(text -> verifies);
      case MARIADB, MYSQL -> Optional.of(ofMysql(none, verifies));
      case DB2, DB2_ZOS -> Optional.of(ofDb2(none));
    };
  }

  private String ofMysql(boolean none, boolean verifies) {
    if (verifies) {
      return "taken; the url still needs &serverSslCert=/path, a file with the certificate of the"
          + " server's authority";
    }
    if (!none) {
      return "taken as sslMode=trust, which encrypts and does not prove which server answers;"
          + " sslMode=verify-full&serverSslCert=/path proves it";
    }
    return engine == DmsEngine.MYSQL
        ? "MySQL asks for the password itself, so the url needs an encrypted session: add"
            + " ?sslMode=verify-ca&serverSslCert=/path"
        : "without sslMode in the url nothing is encrypted; ?sslMode=verify-full&serverSslCert=/path"
            + " does it";
  }

  private String ofDb2(boolean none) {
    if (!none) {
      return "taken as sslConnection=true; what IBM's driver then proves of the server was not"
          + " tried";
    }
    return side.equals(DmsEndpoint.SOURCE)
        ? "nothing is encrypted; with TLS the source needs jdbc-url and driver.sslConnection"
        : "with a password the url must say sslConnection=true, or sslConnection=false if the"
            + " password may travel as it is";
  }
}
