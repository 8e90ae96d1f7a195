package dev.sluice.connect.target;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.SQLException;

final class PostgresSinkTest extends TargetContract {
  @Override
  TargetSide open() throws SQLException {
    EmbeddedPostgres postgres = EmbeddedPostgres.start();
    return new PostgresSide(postgres, "postgresql", postgres.port());
  }
}
