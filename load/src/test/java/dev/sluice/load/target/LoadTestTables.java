package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The tables that the contract of a load uses, in the schema {@code dst} of a target. */
final class LoadTestTables {
  static final TableId WORD = new TableId("dst", "word");
  static final TableId ITEM = new TableId("dst", "item");
  static final TableId PART = new TableId("dst", "part");
  static final TableId TICKET = new TableId("dst", "ticket");
  static final TableId NUMBERS = new TableId("dst", "numbers");

  private LoadTestTables() {}

  /** Runs statements in one transaction, in which foreign keys and triggers are off. */
  static void run(TargetServer server, String... statements) throws SQLException {
    try (TargetConnection connection = server.connect()) {
      for (String sql : statements) {
        connection.execute(sql);
      }
      connection.jdbc().commit();
    }
  }

  /** The first column of a query's rows. */
  static List<String> texts(TargetServer server, String query) throws SQLException {
    try (TargetConnection connection = server.connect();
        Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery(query)) {
      List<String> texts = new ArrayList<>();
      while (row.next()) {
        texts.add(row.getString(1));
      }
      return texts;
    }
  }

  static List<String> words(TargetServer server) throws SQLException {
    return texts(server, "SELECT name FROM dst.word ORDER BY name");
  }
}
