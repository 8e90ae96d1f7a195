package dev.sluice.engine.binlog;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;

class MariadbPassingTablesTest extends RandomPassingTables {
  MariadbPassingTablesTest() {
    super("mariadb");
  }

  @Override
  EmbeddedServer start() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    return EmbeddedMariadb.builder().start();
  }
}
