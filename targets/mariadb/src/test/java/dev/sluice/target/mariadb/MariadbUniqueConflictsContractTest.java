package dev.sluice.target.mariadb;

import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.apply.UniqueConflictsContractTest;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.List;

class MariadbUniqueConflictsContractTest extends UniqueConflictsContractTest {

  ServerKind kind() {
    return ServerKind.MARIADB;
  }

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return MariadbLab.open(kind());
  }

  @Override
  protected void createTable(TargetLab lab, List<String> key, List<List<String>> unique)
      throws SQLException {
    MariadbRandomTablesContractTest.create(kind(), lab, key, unique);
  }
}
