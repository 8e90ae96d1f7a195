package dev.sluice.target.db2;

import dev.sluice.embedded.derby.EmbeddedDerby;
import dev.sluice.sink.control.ControlDialectContractTest;
import dev.sluice.sink.target.TargetServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** On a server that ends a wait for a lock, as Db2 does: the driver alone ends none there. */
class Db2ControlDialectContractTest extends ControlDialectContractTest {
  private static EmbeddedDerby derby;

  @BeforeAll
  static void start() {
    derby = EmbeddedDerby.start(Duration.ofSeconds(2));
  }

  @AfterAll
  static void stop() {
    derby.close();
  }

  @Override
  protected TargetServer target() {
    return Db2Lab.target(derby.port());
  }
}
