package dev.sluice.connector.mariadb.capture.stream;

import java.io.IOException;

/** A server asks for a login that is refused without TLS. */
final class RefusedLogin extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param by the plugin that it asks for
   */
  RefusedLogin(String by) {
    super(by);
  }
}
