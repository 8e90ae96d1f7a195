package dev.sluice.embedded.mariadb;

import java.nio.file.Path;

/** The folder in which servers are prepared, once for all processes of a user. Stateless. */
final class WorkingFolder {
  private static final String PROPERTY = "sluice.mariadb.working-dir";

  private WorkingFolder() {}

  static Path path() {
    String user = System.getProperty("user.name");
    return Path.of(
        System.getProperty(
            PROPERTY,
            Path.of(System.getProperty("java.io.tmpdir"), "sluice-mariadb-" + user).toString()));
  }
}
