package dev.sluice.engine.daemon;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;

class MysqlRotatedTablesTest extends RotatedTables {
  MysqlRotatedTablesTest() {
    super("mysql");
  }

  @Override
  EmbeddedServer start() {
    assumeTrue(EmbeddedMysql.isAvailable(), EmbeddedMysql.MISSING);
    return EmbeddedMysql.start();
  }
}
