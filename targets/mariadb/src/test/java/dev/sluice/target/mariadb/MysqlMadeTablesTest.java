package dev.sluice.target.mariadb;

import dev.sluice.target.mariadb.server.ServerKind;
import java.util.List;

/** The same on MySQL; skipped where there is none. */
@NeedsMysql
class MysqlMadeTablesTest extends MadeTablesTest {
  @Override
  ServerKind kind() {
    return ServerKind.MYSQL;
  }

  @Override
  List<String> madeColumns() {
    return List.of(
        "id|int|NO|PRI|auto_increment", "code|varchar(20)|NO|||new", "note|longtext|YES||");
  }
}
