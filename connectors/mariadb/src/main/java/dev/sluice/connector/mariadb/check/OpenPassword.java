package dev.sluice.connector.mariadb.check;

import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/*
 * An attacker who answers in place of the server may ask for the password itself, which is refused,
 * or get a hash of it with a challenge of their choice. The task file of a MySQL source with such a
 * login is refused.
 */
/** Finds a login over a network that is not encrypted. */
final class OpenPassword {
  private OpenPassword() {}

  /** A note if the password leaves this machine without TLS. */
  static Optional<String> note(Endpoint endpoint) {
    boolean encrypted = MariadbConfig.isEncrypted(endpoint);
    if (encrypted || !endpoint.password().isPresent() || isThisMachine(endpoint.host())) {
      return Optional.empty();
    }
    return Optional.of(
        "source.url has no sslMode: anyone who can read the network traffic can read the rows, and can guess the password from the answer of the login. Add ?sslMode=verify-ca&serverSslCert=FILE;"
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
