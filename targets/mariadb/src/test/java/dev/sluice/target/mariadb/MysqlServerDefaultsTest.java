package dev.sluice.target.mariadb;

import dev.sluice.target.mariadb.server.ServerKind;

@NeedsMysql
class MysqlServerDefaultsTest extends ServerDefaultsTest {
  @Override
  ServerKind kind() {
    return ServerKind.MYSQL;
  }
}
