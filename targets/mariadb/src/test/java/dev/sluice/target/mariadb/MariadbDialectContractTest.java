package dev.sluice.target.mariadb;

import dev.sluice.sink.apply.TargetDialectContractTest;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.List;

class MariadbDialectContractTest extends TargetDialectContractTest {

  ServerKind kind() {
    return ServerKind.MARIADB;
  }

  private static final String QUOTED = "dst.`" + ODD + "`";

  @Override
  protected TargetLab newDatabase() throws SQLException {
    return MariadbLab.open(kind());
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

  @Override
  protected void createKept(TargetLab lab) throws SQLException {
    lab.run(
        "CREATE TABLE dst.kept (id int PRIMARY KEY, code int UNIQUE, wide longtext,"
            + " mine varchar(20) DEFAULT 'new')");
  }

  @Override
  protected void createWords(TargetLab lab) throws SQLException {
    lab.run(
        "CREATE TABLE dst.word (word varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
            + " PRIMARY KEY, n int)");
  }

  @Override
  protected String commit() {
    // The command byte of a query comes first: READ COMMITTED has these letters, too.
    return "\u0003COMMIT";
  }

  @Override
  protected String waiting() {
    return "SELECT trx_mysql_thread_id FROM information_schema.INNODB_TRX"
        + " WHERE trx_state = 'LOCK WAIT'";
  }

  @Override
  protected void killWaiting(TargetLab lab) throws SQLException {
    lab.run("KILL " + lab.rows(waiting()).get(0));
  }
}
