package dev.sluice.target.mariadb;

import dev.sluice.sink.target.TargetLogin;
import dev.sluice.target.mariadb.server.ServerKind;
import java.util.Optional;

/** Checks whether a url encrypts its sessions. Pure. */
final class UrlEncryption {
  static final String SSL_MODE = "sslMode";

  static final String NONE = "disable";

  private UrlEncryption() {}

  /**
   * Why a password may not travel to the server; empty if it may. MySQL asks for the password
   * itself if it has not cached the login. It would then be encrypted with a key that anybody in
   * the network may have sent.
   */
  static Optional<String> problem(ServerKind server, TargetLogin login) {
    String url = login.jdbcUrl();
    boolean encrypted = url.contains(SSL_MODE + "=") && !url.contains(SSL_MODE + "=" + NONE);
    return server == ServerKind.MYSQL && login.password() != null && !encrypted
        ? Optional.of(
            "target.url has a password and no encryption (sslMode), expected sslMode verify-full,"
                + " verify-ca or trust: MySQL asks for the password itself. Add"
                + " ?sslMode=verify-ca&serverSslCert=FILE to target.url; FILE is ca.pem of the"
                + " server's data directory")
        : Optional.empty();
  }
}
