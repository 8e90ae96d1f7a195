package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TestTarget;
import java.sql.SQLException;

/** A PostgreSQL server for the contract of a load. */
final class PostgresLab implements LoadContractLab {
  private final TestTarget server;

  PostgresLab(TestTarget server) {
    this.server = server;
  }

  @Override
  public TargetServer target() {
    return server.server();
  }

  @Override
  public void createTables() throws SQLException {
    LoadTestTables.run(
        target(),
        "DROP SCHEMA IF EXISTS dst CASCADE",
        "CREATE SCHEMA dst",
        "CREATE TABLE dst.word (name text)",
        "CREATE TABLE dst.mark (loaded int, done boolean)",
        "CREATE TABLE dst.item (id int PRIMARY KEY, name text CHECK (name <> 'no'))",
        "CREATE TABLE dst.part (id int PRIMARY KEY, item int REFERENCES dst.item)",
        "CREATE TABLE dst.ticket (n serial)",
        "CREATE SEQUENCE dst.numbers");
  }

  @Override
  public long next(TableId sequence) throws SQLException {
    String query = "SELECT nextval('" + sequence.quoted() + "')";
    return Long.parseLong(LoadTestTables.texts(target(), query).get(0));
  }

  @Override
  public boolean isSomeoneWaiting() throws SQLException {
    return !LoadTestTables.texts(target(), "SELECT pid FROM pg_locks WHERE NOT granted").isEmpty();
  }
}
