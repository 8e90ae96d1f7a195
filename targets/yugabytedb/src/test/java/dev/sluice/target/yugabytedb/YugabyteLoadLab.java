package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.load.target.LoadContractLab;
import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A database behind the strict proxy for the contract of a load. */
record YugabyteLoadLab(YugabyteLab database) implements LoadContractLab {

  static YugabyteLoadLab open() throws SQLException {
    return new YugabyteLoadLab(YugabyteLab.database());
  }

  @Override
  public TargetServer target() {
    return database.server();
  }

  @Override
  public void createTables() throws SQLException {
    try (Connection session = database.connect();
        Statement statement = session.createStatement()) {
      for (String sql :
          new String[] {
            "DROP SCHEMA IF EXISTS dst CASCADE",
            "CREATE SCHEMA dst",
            "CREATE TABLE dst.word (name text)",
            "CREATE TABLE dst.mark (loaded int, done boolean)",
            "CREATE TABLE dst.item (id int PRIMARY KEY, name text CHECK (name <> 'no'))",
            "CREATE TABLE dst.part (id int PRIMARY KEY, item int REFERENCES dst.item)",
            "CREATE TABLE dst.ticket (n serial)",
            "CREATE SEQUENCE dst.numbers"
          }) {
        statement.execute(sql);
      }
    }
  }

  @Override
  public long next(TableId sequence) throws SQLException {
    return Long.parseLong(value("SELECT nextval('" + sequence.quoted() + "')"));
  }

  @Override
  public boolean isSomeoneWaiting() throws SQLException {
    return value("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted").equals("t");
  }

  private String value(String query) throws SQLException {
    try (Connection session = database.connect();
        Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }
}
