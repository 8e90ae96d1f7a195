package dev.sluice.sink.apply;

import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.SQLException;
import java.util.List;

/** Also of targets that speak PostgreSQL's SQL. */
public class PostgresUniqueConflictsContractTest extends UniqueConflictsContractTest {

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return TargetLab.on(PostgresVersion.NEWEST);
  }

  @Override
  protected void createTable(TargetLab lab, List<String> key, List<List<String>> unique)
      throws SQLException {
    PostgresRandomTablesContractTest.create(lab, key, unique);
  }
}
