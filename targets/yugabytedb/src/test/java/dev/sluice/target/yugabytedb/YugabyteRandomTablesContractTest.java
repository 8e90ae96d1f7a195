package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.PostgresRandomTablesContractTest;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.window.ClosedWindow;
import java.sql.SQLException;
import java.util.Map;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Some statements conflict, find another catalog or lose their connection, and so do commits. */
class YugabyteRandomTablesContractTest extends PostgresRandomTablesContractTest {
  private static final int FAILING_OF_THOUSAND = 20;

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return YugabyteLab.open();
  }

  @Override
  protected void apply(BatchApplier applier, ClosedWindow window) {
    YugabyteLab.proxy().fail(FAILING_OF_THOUSAND);
    try {
      while (!isApplied(applier, window)) {
        continue;
      }
    } finally {
      YugabyteLab.proxy().fail(0);
    }
  }

  private static boolean isApplied(BatchApplier applier, ClosedWindow window) {
    try {
      applier.apply(window);
      return true;
    } catch (SluiceException.Retryable e) {
      return false;
    }
  }

  /** Those of the test classes before this one. */
  private static Map<Fault, Integer> before = Map.of();

  @BeforeContainer
  static void countFaults() {
    if (YugabyteLab.proxy() != null) {
      before = YugabyteLab.proxy().faults();
    }
  }

  @AfterContainer
  static void everyKindOfFaultCame() {
    Map<Fault, Integer> now = YugabyteLab.proxy().faults();
    assertThat(Fault.values())
        .allMatch(fault -> now.getOrDefault(fault, 0) > before.getOrDefault(fault, 0));
    assertThat(YugabyteLab.proxy().refused()).isEmpty();
  }
}
