package dev.sluice.target.db2;

import dev.sluice.sink.control.ControlDialectContractTest;
import dev.sluice.sink.target.TargetServer;

class Db2ControlDialectContractTest extends ControlDialectContractTest {

  @Override
  protected TargetServer target() {
    return Db2Lab.target(Db2Lab.embedded().port());
  }
}
