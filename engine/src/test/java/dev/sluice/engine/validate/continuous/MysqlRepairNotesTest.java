package dev.sluice.engine.validate.continuous;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.engine.ToMariadb;

/** The same onto MySQL; skipped where there is none. */
class MysqlRepairNotesTest extends MariadbRepairNotesTest {

  @Override
  EmbeddedServer target() {
    return ToMariadb.startMysql();
  }
}
