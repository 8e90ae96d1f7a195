package dev.sluice.engine.daemon;

import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.engine.ToMariadb;
import java.nio.file.Path;

/** The same onto MySQL; skipped where there is none. */
class MysqlRepairTest extends MariadbRepairTest {

  @Override
  ToMariadb servers() {
    return ToMariadb.mysql();
  }

  @Override
  EmbeddedServer server(Path directory, int port) {
    return EmbeddedMysql.builder()
        .setting("local-infile", "ON")
        .fsync()
        .directory(directory)
        .port(port)
        .start();
  }
}
