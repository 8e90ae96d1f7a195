package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.load.target.LoadContractLab;
import dev.sluice.load.target.SegmentContractTest;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

class YugabyteSegmentContractTest extends SegmentContractTest {
  private static YugabyteLoadLab lab;

  @BeforeAll
  static void start() throws SQLException {
    lab = YugabyteLoadLab.open();
  }

  @AfterAll
  static void stop() throws SQLException {
    lab.database().drop();
  }

  @AfterEach
  void nothingWasRefused() {
    assertThat(YugabyteLab.proxy().refused()).isEmpty();
  }

  @Override
  protected LoadContractLab lab() {
    return lab;
  }
}
