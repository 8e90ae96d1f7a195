package dev.sluice.engine.binlog;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;

class MysqlPassingTablesTest extends RandomPassingTables {
  MysqlPassingTablesTest() {
    super("mysql");
  }

  @Override
  EmbeddedServer start() {
    assumeTrue(EmbeddedMysql.isAvailable(), EmbeddedMysql.MISSING);
    return EmbeddedMysql.start();
  }
}
