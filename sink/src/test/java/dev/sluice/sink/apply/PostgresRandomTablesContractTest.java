package dev.sluice.sink.apply;

import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.SQLException;
import java.util.List;

/** Also of targets that speak PostgreSQL's SQL. */
public class PostgresRandomTablesContractTest extends RandomTablesContractTest {

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return TargetLab.on(PostgresVersion.NEWEST);
  }

  @Override
  protected void createTable(TargetLab lab, List<String> key, List<List<String>> unique)
      throws SQLException {
    create(lab, key, unique);
  }

  static void create(TargetLab lab, List<String> key, List<List<String>> unique)
      throws SQLException {
    lab.run(
        "DROP TABLE IF EXISTS dst.t",
        "CREATE TABLE dst.t (k int, l text, u int, v int, w text, x text, PRIMARY KEY (%s))"
            .formatted(String.join(", ", key)));
    for (List<String> columns : unique) {
      lab.run("ALTER TABLE dst.t ADD UNIQUE (" + String.join(", ", columns) + ")");
    }
  }
}
