package dev.sluice.sink.apply;

import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.SQLException;
import java.util.List;

class PostgresDialectContractTest extends TargetDialectContractTest {
  private static final String QUOTED = "dst.\"select \"\"from\"\" Ünïcode; --\"";

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return TargetLab.on(PostgresVersion.NEWEST);
  }

  @Override
  protected void createItems(TargetLab lab) throws SQLException {
    lab.run("CREATE TABLE dst.item (id int PRIMARY KEY, code int UNIQUE, note varchar(1000))");
  }

  @Override
  protected void createOdd(TargetLab lab) throws SQLException {
    lab.run(
        "CREATE TABLE "
            + QUOTED
            + " (\"Key \"\"one\"\"\" int PRIMARY KEY, \"group\" text, \"a'b\" int UNIQUE)");
  }

  @Override
  protected List<String> oddRows(TargetLab lab) throws SQLException {
    return lab.rows("SELECT * FROM " + QUOTED);
  }
}
