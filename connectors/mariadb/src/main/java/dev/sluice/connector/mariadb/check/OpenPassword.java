package dev.sluice.connector.mariadb.check;

import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/*
 * Whoever answers as the server may ask for the password itself (mysql_clear_password), or for one
 * that is encrypted with a key of his own. The reader of the log answers both. A task of type mysql
 * with such a login is refused by its file.
 */
/** Finds a login whose password others on the network can get. */
final class OpenPassword {
  private OpenPassword() {}

  /** A remark if the password is not hidden by TLS and leaves this machine. */
  static Optional<String> note(Endpoint endpoint) {
    boolean encrypted =
        !endpoint.options().getOrDefault(MariadbConfig.SSL_MODE, "disable").equals("disable");
    if (encrypted || !endpoint.password().isPresent() || isThisMachine(endpoint.host())) {
      return Optional.empty();
    }
    return Optional.of(
        "source.url has no sslMode: whoever can answer in the server's place gets the password,"
            + " and whoever reads the network reads the rows. Add ?sslMode=verify-ca&serverSslCert=FILE;"
            + " FILE is the certificate of the server's authority");
  }

  private static boolean isThisMachine(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
