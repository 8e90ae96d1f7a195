package dev.sluice.engine.endtoend;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.engine.ToMariadb;

/** The same onto MySQL; skipped where there is none. */
class MysqlTargetKillTest extends MariadbTargetKillTest {

  @Override
  EmbeddedServer target() {
    return ToMariadb.startMysql();
  }
}
