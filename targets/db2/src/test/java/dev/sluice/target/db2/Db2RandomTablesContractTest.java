package dev.sluice.target.db2;

import dev.sluice.config.TableId;
import dev.sluice.sink.apply.RandomTablesContractTest;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.target.db2.catalog.Db2Metadata;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

class Db2RandomTablesContractTest extends RandomTablesContractTest {

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return Db2Lab.open();
  }

  @Override
  protected void createTable(TargetLab lab, List<String> key, List<List<String>> unique)
      throws SQLException {
    create(lab, key, unique);
  }

  static void create(TargetLab lab, List<String> key, List<List<String>> unique)
      throws SQLException {
    try (Connection session = Db2Lab.admin()) {
      if (Db2Metadata.hasTable(session, new TableId("dst", "t"))) {
        lab.run("DROP TABLE dst.t");
      }
    }
    lab.run(
        "CREATE TABLE dst.t (k INTEGER%s, l VARCHAR(20)%s, u INTEGER, v INTEGER, w VARCHAR(20),"
                .formatted(notNull(key, "k"), notNull(key, "l"))
            + " x VARCHAR(4000), PRIMARY KEY (%s))".formatted(String.join(", ", key)));
    for (List<String> columns : unique) {
      lab.run("ALTER TABLE dst.t ADD UNIQUE (" + String.join(", ", columns) + ")");
    }
  }

  private static String notNull(List<String> key, String column) {
    return key.contains(column) ? " NOT NULL" : "";
  }
}
