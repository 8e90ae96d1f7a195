package dev.sluice.target.db2;

import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.apply.UniqueConflict;
import dev.sluice.sink.apply.UniqueConflictsContractTest;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

class Db2UniqueConflictsContractTest extends UniqueConflictsContractTest {

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return Db2Lab.open();
  }

  /** Derby finds a duplicate when their chunks are inserted again; why is not known yet. */
  @Override
  protected Set<UniqueConflict> rejectedInChunks() {
    return EnumSet.of(
        UniqueConflict.COMPOSITE_VALUES_WITH_THE_SAME_LETTERS_IN_OTHER_CASES_ROTATE,
        UniqueConflict.TWO_PAIRS_EXCHANGE_DIFFERENT_VALUES_AND_HAVE_A_ROW_IN_COMMON);
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
