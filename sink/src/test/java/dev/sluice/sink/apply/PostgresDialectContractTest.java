package dev.sluice.sink.apply;

import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.SQLException;

class PostgresDialectContractTest extends TargetDialectContractTest {

  @Override
  TargetLab newDatabase() throws SQLException {
    return TargetLab.on(PostgresVersion.NEWEST);
  }
}
