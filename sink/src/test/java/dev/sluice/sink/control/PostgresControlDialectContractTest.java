package dev.sluice.sink.control;

import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TestTarget;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresControlDialectContractTest extends ControlDialectContractTest {
  @RegisterExtension static final TestTarget TARGET = new TestTarget();

  @Override
  protected TargetServer target() {
    return TARGET.server();
  }
}
