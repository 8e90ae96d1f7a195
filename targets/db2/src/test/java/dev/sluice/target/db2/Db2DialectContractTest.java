package dev.sluice.target.db2;

import dev.sluice.sink.apply.TargetDialectContractTest;
import dev.sluice.sink.apply.TargetLab;
import java.sql.SQLException;
import java.util.List;

class Db2DialectContractTest extends TargetDialectContractTest {
  private static final String QUOTED = "dst.\"" + ODD.replace("\"", "\"\"") + "\"";

  private Db2Lab database;

  @Override
  protected TargetLab newDatabase() throws SQLException {
    database = new Db2Lab();
    return TargetLab.on(database);
  }

  @Override
  protected void createItems(TargetLab lab) throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id INTEGER NOT NULL PRIMARY KEY, code INTEGER UNIQUE,"
            + " note VARCHAR(1000))");
  }

  @Override
  protected void createOdd(TargetLab lab) throws SQLException {
    lab.run(
        "CREATE TABLE "
            + QUOTED
            + " (\"Key \"\"one\"\"\" INTEGER NOT NULL PRIMARY KEY, \"group\" VARCHAR(100),"
            + " \"a'b\" INTEGER UNIQUE)");
  }

  @Override
  protected List<String> oddRows(TargetLab lab) throws SQLException {
    return lab.rows("SELECT * FROM " + QUOTED);
  }

  @Override
  protected void createKept(TargetLab lab) throws SQLException {
    lab.run(
        "CREATE TABLE dst.kept (id INTEGER NOT NULL PRIMARY KEY, code INTEGER UNIQUE,"
            + " wide VARCHAR(4000), mine VARCHAR(20) DEFAULT 'new')");
  }

  @Override
  protected void createWords(TargetLab lab) throws SQLException {
    lab.run("CREATE TABLE dst.word (word VARCHAR(50) NOT NULL PRIMARY KEY, n INTEGER)");
  }

  /** The command's length and its code in the protocol (RDBCMM). */
  @Override
  protected String commit() {
    return "\u0000\u0004\u0020\u000E";
  }

  /** Its temporary tables are declared in transactions of their own. */
  @Override
  protected boolean commitsBeforeItsFirstWindow() {
    return true;
  }

  /** Derby looks at a socket only to read or to write. */
  @Override
  protected boolean noticesLostClients() {
    return false;
  }

  @Override
  protected String waiting() {
    return "SELECT XID FROM SYSCS_DIAG.LOCK_TABLE WHERE STATE = 'WAIT'";
  }

  /** Derby ends no session of another, so the network does. */
  @Override
  protected void killWaiting(TargetLab lab) {
    try {
      database.cut();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
