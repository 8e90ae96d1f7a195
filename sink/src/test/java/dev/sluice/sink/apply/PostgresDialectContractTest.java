package dev.sluice.sink.apply;

import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.SQLException;
import java.util.List;

/** Also of targets that speak PostgreSQL's SQL. */
public class PostgresDialectContractTest extends TargetDialectContractTest {
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

  @Override
  protected void createKept(TargetLab lab) throws SQLException {
    lab.run(
        "CREATE TABLE dst.kept (id int PRIMARY KEY, code int UNIQUE, wide text,"
            + " mine text DEFAULT 'new')");
  }

  @Override
  protected void createWords(TargetLab lab) throws SQLException {
    lab.run("CREATE TABLE dst.word (word text PRIMARY KEY, n int)");
  }

  @Override
  protected String commit() {
    return TargetLab.COMMIT;
  }

  @Override
  protected String waiting() {
    return "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        + " AND datname = current_database()";
  }

  @Override
  protected void killWaiting(TargetLab lab) throws SQLException {
    lab.rows("SELECT pg_terminate_backend(pid) FROM (" + waiting() + ") AS it");
  }
}
