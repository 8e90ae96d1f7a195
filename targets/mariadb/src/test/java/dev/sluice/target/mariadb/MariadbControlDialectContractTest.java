package dev.sluice.target.mariadb;

import dev.sluice.sink.control.ControlDialectContractTest;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.mariadb.server.ServerKind;

class MariadbControlDialectContractTest extends ControlDialectContractTest {

  ServerKind kind() {
    return ServerKind.MARIADB;
  }

  /** The server takes a statement of 64 MB. */
  @Override
  protected int charactersOfRow() {
    return 1_400_000;
  }

  @Override
  protected TargetServer target() {
    return MariadbLab.target(kind(), MariadbLab.embedded(kind()).port());
  }
}
