package dev.sluice.demo;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.nio.file.Path;
import java.sql.SQLException;

/** The databases that the demo can migrate. */
enum DemoSource {
  POSTGRESQL("postgresql") {
    @Override
    void require(DemoTarget target) {
      if (target == DemoTarget.MARIADB) {
        requireMariadb("--target mariadb");
      }
    }

    @Override
    DemoServers start(DemoTarget target, Path folder) throws SQLException {
      return target == DemoTarget.MARIADB
          ? ToMariadbServers.start(folder)
          : PostgresServers.start(folder);
    }

    @Override
    String servers(DemoTarget target) {
      return target == DemoTarget.MARIADB
          ? "a PostgreSQL and a MariaDB server"
          : "two PostgreSQL servers";
    }
  },
  MARIADB("mariadb") {
    @Override
    void require(DemoTarget target) {
      if (target == DemoTarget.MARIADB) {
        throw new SluiceException.Fatal(
            new Problem(
                "--target mariadb",
                "the source is MariaDB, too",
                "a source of PostgreSQL, since a target of MariaDB takes no other",
                "Leave out --source or --target"));
      }
      requireMariadb("--source mariadb");
    }

    @Override
    DemoServers start(DemoTarget target, Path folder) throws SQLException {
      return MariadbServers.start(folder);
    }

    @Override
    String servers(DemoTarget target) {
      return "a MariaDB and a PostgreSQL server";
    }
  };

  private final String type;

  DemoSource(String type) {
    this.type = type;
  }

  /**
   * Requires that the demo can run here with this source and target.
   *
   * @throws SluiceException.Fatal with the reason if it cannot
   */
  abstract void require(DemoTarget target);

  abstract DemoServers start(DemoTarget target, Path folder) throws SQLException;

  /** The servers, in words. */
  abstract String servers(DemoTarget target);

  private static void requireMariadb(String option) {
    if (!EmbeddedMariadb.isAvailable()) {
      throw new SluiceException.Fatal(
          new Problem(
              option,
              "this machine is %s on %s, for which the demo has no MariaDB server"
                  .formatted(System.getProperty("os.name"), System.getProperty("os.arch")),
              "Linux on x86-64",
              "Leave it out: it is PostgreSQL then"));
    }
  }

  @Override
  public String toString() {
    return type;
  }
}
