package dev.sluice.target.mariadb;

import dev.sluice.sink.apply.TargetDialectContractTest;
import dev.sluice.sink.apply.TargetLab;
import java.sql.SQLException;
import java.util.List;

class MariadbDialectContractTest extends TargetDialectContractTest {
  private static final String QUOTED = "dst.`" + ODD + "`";

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return MariadbLab.open();
  }

  @Override
  protected void createItems(TargetLab lab) throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int UNIQUE, note varchar(1000))"
            + " CHARACTER SET utf8mb4");
  }

  @Override
  protected void createOdd(TargetLab lab) throws SQLException {
    lab.run(
        "CREATE TABLE "
            + QUOTED
            + " (`Key \"one\"` int PRIMARY KEY, `group` text, `a'b` int UNIQUE)");
  }

  @Override
  protected List<String> oddRows(TargetLab lab) throws SQLException {
    return lab.rows("SELECT * FROM " + QUOTED);
  }
}
