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

  /**
   * Two kinds of two unique columns, one of which becomes NULL and gets a value again, fail with a
   * duplicate on Derby when their chunks are inserted again. The rows are right afterwards.
   */
  @Override
  protected boolean mayRejectWindows() {
    return true;
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
