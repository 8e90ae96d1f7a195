package dev.sluice.embedded.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class EmbeddedMysqlTest {

  @BeforeAll
  static void requireProgram() {
    assumeTrue(EmbeddedMysql.isAvailable(), EmbeddedMysql.MISSING);
  }

  @Test
  void aServerWritesABinaryLogOfRowsWithAllColumnsAndFullMetadataAndLeavesNothing()
      throws SQLException {
    Path left;
    try (EmbeddedMysql server = EmbeddedMysql.start();
        EmbeddedMysql other = EmbeddedMysql.start()) {
      left = server.directory();
      assertThat(
              value(
                  server,
                  "SELECT CONCAT_WS(' ', @@log_bin, @@binlog_format, @@binlog_row_image,"
                      + " @@binlog_row_metadata)"))
          .isEqualTo("1 ROW FULL FULL");
      assertThat(value(server, "SELECT @@server_uuid"))
          .isNotEqualTo(value(other, "SELECT @@server_uuid"));
    }
    assertThat(left).doesNotExist();
  }

  @Test
  void dataSurviveAKill() throws SQLException {
    try (EmbeddedMysql server = EmbeddedMysql.start()) {
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE kept AS SELECT 7 AS value");
      }
      server.kill();
      server.restart();
      assertThat(value(server, "SELECT value FROM kept")).isEqualTo("7");
    }
  }

  private static String value(EmbeddedMysql server, String sql) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    }
  }
}
