package dev.sluice.engine.endtoend;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.ToMariadb;

/** The same onto MySQL; skipped where there is none. */
class MysqlCutoverKillTest extends CutoverKills {

  @Override
  ToMariadb servers() {
    EmbeddedServer target = ToMariadb.startMysql();
    return new ToMariadb(EmbeddedPostgres.start(), target);
  }
}
