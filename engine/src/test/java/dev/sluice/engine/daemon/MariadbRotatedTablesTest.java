package dev.sluice.engine.daemon;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;

class MariadbRotatedTablesTest extends RotatedTables {
  MariadbRotatedTablesTest() {
    super("mariadb");
  }

  @Override
  EmbeddedServer start() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    return EmbeddedMariadb.builder().start();
  }
}
