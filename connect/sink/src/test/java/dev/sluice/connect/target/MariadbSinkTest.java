package dev.sluice.connect.target;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;

final class MariadbSinkTest extends MariadbContract {
  @Override
  TargetSide open() {
    return new MariadbSide(EmbeddedMariadb.builder().fsync().start(), "mariadb");
  }
}
