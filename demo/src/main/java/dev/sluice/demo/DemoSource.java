package dev.sluice.demo;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.nio.file.Path;
import java.sql.SQLException;

/** The databases that the demo can migrate into PostgreSQL. */
enum DemoSource {
  POSTGRESQL("postgresql", "two PostgreSQL servers") {
    @Override
    void require() {}

    @Override
    DemoServers start(Path folder) throws SQLException {
      return PostgresServers.start(folder);
    }
  },
  MARIADB("mariadb", "a MariaDB and a PostgreSQL server") {
    @Override
    void require() {
      if (!EmbeddedMariadb.isAvailable()) {
        throw new SluiceException.Fatal(
            new Problem(
                "--source mariadb",
                "this machine is %s on %s, for which the demo has no MariaDB server"
                    .formatted(System.getProperty("os.name"), System.getProperty("os.arch")),
                "Linux on x86-64",
                "Leave it out: the source is PostgreSQL then"));
      }
    }

    @Override
    DemoServers start(Path folder) throws SQLException {
      return MariadbServers.start(folder);
    }
  };

  private final String type;
  private final String servers;

  DemoSource(String type, String servers) {
    this.type = type;
    this.servers = servers;
  }

  /**
   * Requires that the demo can run here with this source.
   *
   * @throws SluiceException.Fatal with the reason if it cannot
   */
  abstract void require();

  abstract DemoServers start(Path folder) throws SQLException;

  /** The servers, in words. */
  String servers() {
    return servers;
  }

  @Override
  public String toString() {
    return type;
  }
}
