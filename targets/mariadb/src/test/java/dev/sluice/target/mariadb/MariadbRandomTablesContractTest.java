package dev.sluice.target.mariadb;

import dev.sluice.sink.apply.RandomTablesContractTest;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.List;

class MariadbRandomTablesContractTest extends RandomTablesContractTest {

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
    create(kind(), lab, key, unique);
  }

  static void create(ServerKind kind, TargetLab lab, List<String> key, List<List<String>> unique)
      throws SQLException {
    lab.run(
        "DROP TABLE IF EXISTS dst.t",
        "CREATE TABLE dst.t (k int, l varchar(20), u int, v int, w varchar(20), x longtext,"
            + " PRIMARY KEY (%s)) CHARACTER SET utf8mb4 COLLATE %s"
                .formatted(String.join(", ", key), kind.binaryCollation()));
    for (List<String> columns : unique) {
      lab.run("ALTER TABLE dst.t ADD UNIQUE (" + String.join(", ", columns) + ")");
    }
  }
}
