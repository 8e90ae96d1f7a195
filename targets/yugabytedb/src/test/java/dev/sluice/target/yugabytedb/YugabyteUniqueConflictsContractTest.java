package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sink.apply.PostgresUniqueConflictsContractTest;
import dev.sluice.sink.apply.TargetLab;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;

class YugabyteUniqueConflictsContractTest extends PostgresUniqueConflictsContractTest {
  @AfterEach
  void nothingWasRefused() {
    assertThat(YugabyteLab.proxy().refused()).isEmpty();
  }

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return YugabyteLab.open();
  }
}
