package dev.sluice.load.target;

import dev.sluice.sink.target.TestTarget;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresTableContractTest extends TableContractTest {
  @RegisterExtension static final TestTarget TARGET = new TestTarget();

  @Override
  protected LoadContractLab lab() {
    return new PostgresLab(TARGET);
  }
}
