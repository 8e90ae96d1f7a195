package dev.sluice.target.db2;

import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.apply.UniqueConflictsContractTest;
import java.sql.SQLException;
import java.util.List;

class Db2UniqueConflictsContractTest extends UniqueConflictsContractTest {

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return Db2Lab.open();
  }

  @Override
  protected boolean tellsBlanksApart() {
    return false;
  }

  @Override
  protected void createTable(TargetLab lab, List<String> key, List<List<String>> unique)
      throws SQLException {
    Db2RandomTablesContractTest.create(lab, key, unique);
  }
}
