package dev.sluice.connect;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;

final class DebeziumToMysqlTest extends DebeziumToMariadbContract {
  DebeziumToMysqlTest() {
    super("mysql", "utf8mb4_0900_bin");
  }

  @Override
  EmbeddedServer open() {
    assumeTrue(EmbeddedMysql.isAvailable(), EmbeddedMysql.MISSING);
    return EmbeddedMysql.builder().setting("local-infile", "ON").fsync().start();
  }
}
