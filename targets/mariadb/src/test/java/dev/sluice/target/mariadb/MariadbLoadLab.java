package dev.sluice.target.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.load.target.LoadContractLab;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A server for the contract of a load. */
record MariadbLoadLab(ServerKind kind, TargetServer target) implements LoadContractLab {
  static MariadbLoadLab open() {
    return open(ServerKind.MARIADB);
  }

  static MariadbLoadLab open(ServerKind kind) {
    return new MariadbLoadLab(kind, MariadbLab.target(kind, MariadbLab.embedded(kind).port()));
  }

  @Override
  public void createTables() throws SQLException {
    try (Connection session = MariadbLab.embedded(kind).connect();
        Statement statement = session.createStatement()) {
      for (String sql :
          new String[] {
            "SET foreign_key_checks = 0",
            "DROP DATABASE IF EXISTS dst",
            "CREATE DATABASE dst COLLATE " + kind.binaryCollation(),
            "CREATE TABLE dst.word (name longtext)",
            "CREATE TABLE dst.mark (loaded int, done boolean)",
            "CREATE TABLE dst.item (id int PRIMARY KEY, name longtext CHECK (name <> 'no'))",
            "CREATE TABLE dst.part (id int PRIMARY KEY, item int REFERENCES dst.item (id))",
            "CREATE TABLE dst.ticket (n int AUTO_INCREMENT PRIMARY KEY)",
            kind == ServerKind.MYSQL ? "DO 0" : "CREATE SEQUENCE dst.numbers"
          }) {
        statement.execute(sql);
      }
    }
  }

  @Override
  public long next(TableId sequence) throws SQLException {
    try (Connection session = MariadbLab.embedded(kind).connect();
        Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery("SELECT NEXT VALUE FOR dst." + sequence.name())) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public boolean isSomeoneWaiting() throws SQLException {
    try (Connection session = MariadbLab.embedded(kind).connect();
        Statement statement = session.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT 1 FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT' UNION"
                    + " SELECT 1 FROM information_schema.PROCESSLIST"
                    + " WHERE STATE = 'Waiting for table metadata lock'")) {
      return row.next();
    }
  }
}
