package dev.sluice.connector.mariadb.check;

import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/*
 * Whoever answers as the server may ask for the password itself, which is refused, and gets a hash of
 * it with a text of his own. A task of type mysql with such a login is refused by its file.
 */
/** Finds a login over a network that is not encrypted. */
final class OpenPassword {
  private OpenPassword() {}

  /** A remark if the password is not hidden by TLS and leaves this machine. */
  static Optional<String> note(Endpoint endpoint) {
    boolean encrypted = MariadbConfig.isEncrypted(endpoint);
    if (encrypted || !endpoint.password().isPresent() || isThisMachine(endpoint.host())) {
      return Optional.empty();
    }
    return Optional.of(
        "source.url has no sslMode: whoever reads the network reads the rows, and can try passwords"
            + " until one gives the answer of the login. Add ?sslMode=verify-ca&serverSslCert=FILE;"
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
