package dev.sluice.target.mariadb;

import dev.sluice.target.mariadb.server.ServerKind;

/** The same on MySQL; skipped where there is none. */
@NeedsMysql
class MysqlValuesTest extends MariadbValuesTest {

  @Override
  ServerKind kind() {
    return ServerKind.MYSQL;
  }
}
