package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sink.control.ControlDialectContractTest;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

class YugabyteControlDialectContractTest extends ControlDialectContractTest {
  private static YugabyteLab database;

  @BeforeAll
  static void start() throws SQLException {
    database = YugabyteLab.database();
  }

  @AfterAll
  static void stop() throws SQLException {
    database.drop();
  }

  @AfterEach
  void nothingWasRefused() {
    assertThat(YugabyteLab.proxy().refused()).isEmpty();
  }

  @Override
  protected TargetServer target() {
    return database.server();
  }
}
