package dev.sluice.connect;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;

final class DebeziumToMariadbTest extends DebeziumToMariadbContract {
  DebeziumToMariadbTest() {
    super("mariadb", "utf8mb4_nopad_bin");
  }

  @Override
  EmbeddedServer open() {
    return EmbeddedMariadb.builder().fsync().start();
  }
}
