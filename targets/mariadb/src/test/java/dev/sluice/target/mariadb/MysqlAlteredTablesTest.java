package dev.sluice.target.mariadb;

import dev.sluice.target.mariadb.server.ServerKind;

/** The same on MySQL; skipped where there is none. */
@NeedsMysql
class MysqlAlteredTablesTest extends AlteredTablesTest {

  @Override
  ServerKind kind() {
    return ServerKind.MYSQL;
  }
}
