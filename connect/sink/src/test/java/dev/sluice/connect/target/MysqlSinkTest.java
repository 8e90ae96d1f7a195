package dev.sluice.connect.target;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMysql;

final class MysqlSinkTest extends MariadbContract {
  @Override
  TargetSide open() {
    assumeTrue(EmbeddedMysql.isAvailable(), EmbeddedMysql.MISSING);
    return new MariadbSide(
        EmbeddedMysql.builder().setting("local-infile", "ON").fsync().start(), "mysql");
  }
}
