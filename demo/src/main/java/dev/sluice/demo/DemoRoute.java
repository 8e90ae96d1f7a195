package dev.sluice.demo;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Locale;

/** From which database into which one the demo migrates. */
enum DemoRoute {
  WITHIN_POSTGRESQL("two PostgreSQL servers", PostgresServers::start),
  FROM_MARIADB("a MariaDB and a PostgreSQL server", MariadbServers::start),
  TO_MARIADB("a PostgreSQL and a MariaDB server", ToMariadbServers::start);

  /** A kind of database, as the options name it. */
  enum Database {
    POSTGRESQL,
    MARIADB;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private interface Start {
    DemoServers in(Path folder) throws SQLException;
  }

  private final String servers;
  private final Start start;

  DemoRoute(String servers, Start start) {
    this.servers = servers;
    this.start = start;
  }

  /**
   * @throws SluiceException.Fatal with the reason if the demo cannot go that way on this machine
   */
  static DemoRoute of(Database source, Database target) {
    if (source == Database.POSTGRESQL && target == Database.POSTGRESQL) {
      return WITHIN_POSTGRESQL;
    }
    if (source == target) {
      throw new SluiceException.Fatal(
          new Problem(
              "--target mariadb",
              "the source is MariaDB, too",
              "a source of PostgreSQL, since a target of MariaDB takes no other",
              "Leave out --source or --target"));
    }
    boolean from = source == Database.MARIADB;
    if (!EmbeddedMariadb.isAvailable()) {
      throw new SluiceException.Fatal(
          new Problem(
              from ? "--source mariadb" : "--target mariadb",
              "this machine is %s on %s, for which the demo has no MariaDB server"
                  .formatted(System.getProperty("os.name"), System.getProperty("os.arch")),
              "Linux on x86-64",
              "Leave it out: it is PostgreSQL then"));
    }
    return from ? FROM_MARIADB : TO_MARIADB;
  }

  /** The servers, in words. */
  String servers() {
    return servers;
  }

  DemoServers start(Path folder) throws SQLException {
    return start.in(folder);
  }
}
