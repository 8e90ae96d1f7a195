package dev.sluice.target.mariadb;

import dev.sluice.sink.control.ControlDialectContractTest;
import dev.sluice.sink.target.TargetServer;

class MariadbControlDialectContractTest extends ControlDialectContractTest {

  @Override
  protected TargetServer target() {
    return MariadbLab.target(MariadbLab.embedded().port());
  }
}
