package dev.sluice.engine.validate.repair;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.engine.ToMariadb;
import java.util.List;

/** The same onto MySQL; skipped where there is none. */
class MysqlTableRepairTest extends MariadbTableRepairTest {

  @Override
  EmbeddedServer target() {
    return ToMariadb.startMysql();
  }

  /** No other collation of MySQL counts trailing spaces. */
  @Override
  List<String> collations() {
    return List.of("utf8mb4_0900_bin");
  }
}
