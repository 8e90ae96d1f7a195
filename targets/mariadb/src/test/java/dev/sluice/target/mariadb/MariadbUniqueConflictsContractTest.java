package dev.sluice.target.mariadb;

import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.apply.UniqueConflictsContractTest;
import java.sql.SQLException;
import java.util.List;

class MariadbUniqueConflictsContractTest extends UniqueConflictsContractTest {

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return MariadbLab.open();
  }

  @Override
  protected void createTable(TargetLab lab, List<String> key, List<List<String>> unique)
      throws SQLException {
    MariadbRandomTablesContractTest.create(lab, key, unique);
  }
}
