package dev.sluice.target.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.Problem;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetSessions;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What sessions on MySQL do otherwise than those on MariaDB. */
@OnMysql
class MysqlSessionsTest {
  private static final String LIMITS =
      "SELECT CONCAT_WS('|', @@SESSION.max_execution_time, @@SESSION.wait_timeout)";

  private static TargetServer server() {
    return MariadbLab.target(ServerKind.MYSQL, MariadbLab.embedded(ServerKind.MYSQL).port());
  }

  @Test
  void theLimitOfATransactionEndsWithIt() throws SQLException {
    try (TargetConnection connection = server().connect()) {
      String before = text(connection.jdbc(), LIMITS);
      connection.limitTransaction(Duration.ofSeconds(7));
      assertThat(text(connection.jdbc(), LIMITS)).isEqualTo("7000|7");
      connection.jdbc().commit();
      assertThat(text(connection.jdbc(), LIMITS)).isEqualTo(before).isEqualTo("0|86400");
      connection.limitTransaction(Duration.ofSeconds(7));
      connection.rollback();
      assertThat(text(connection.jdbc(), LIMITS)).isEqualTo(before);
    }
  }

  @Test
  void aServerOfTheOtherKindIsRefused() {
    MariadbLab.embedded(ServerKind.MYSQL);
    for (ServerKind kind : ServerKind.values()) {
      ServerKind other = kind == ServerKind.MYSQL ? ServerKind.MARIADB : ServerKind.MYSQL;
      TargetServer wrong = MariadbLab.target(kind, MariadbLab.embedded(other).port());
      assertThatThrownBy(() -> wrong.connect().close())
          .hasStackTraceContaining("the server is " + other.label())
          .hasStackTraceContaining("Write target.type: " + other.type());
    }
  }

  /** No server is needed for it: nothing is sent. */
  @Test
  void aPasswordDoesNotTravelWithoutEncryption() {
    TargetSessions sessions = MariadbDialect.MYSQL.sessions();
    for (String options : List.of("", "?sslMode=disable")) {
      TargetLogin login =
          new TargetLogin("jdbc:mysql://127.0.0.1:1/test" + options, "root", "secret", "test", 0);
      assertThatThrownBy(() -> sessions.connect(login))
          .hasMessageContaining("expected sslMode verify-full")
          .hasMessageNotContaining("secret");
    }
  }

  @Test
  void aServerThatTakesNoRowsIsRefusedByTheSettingWithItsFix() throws SQLException {
    try (Connection root = MariadbLab.embedded(ServerKind.MYSQL).connect()) {
      assertThat(problems()).isEmpty();
      for (String setting : List.of("local_infile = OFF", "sql_require_primary_key = ON")) {
        execute(root, "SET GLOBAL " + setting);
        try {
          assertThat(problems())
              .as(setting)
              .hasSize(1)
              .allMatch(problem -> problem.contains(setting.substring(0, setting.indexOf(' '))))
              .allMatch(problem -> problem.contains("Run: SET GLOBAL"));
        } finally {
          execute(root, "SET GLOBAL local_infile = ON, GLOBAL sql_require_primary_key = OFF");
        }
      }
      execute(root, "SET GLOBAL super_read_only = ON");
      try {
        assertThat(problems()).anyMatch(problem -> problem.contains("super_read_only is ON"));
      } finally {
        execute(root, "SET GLOBAL super_read_only = OFF, GLOBAL read_only = OFF");
      }
    }
  }

  @Test
  void aServerThatKeepsNoWarningsIsRefusedAsCutValuesWouldGoUnseen() throws SQLException {
    try (Connection root = MariadbLab.embedded(ServerKind.MYSQL).connect()) {
      execute(root, "SET GLOBAL max_error_count = 0");
      try {
        assertThatThrownBy(() -> server().connect().close())
            .hasStackTraceContaining("max_error_count is 0");
      } finally {
        execute(root, "SET GLOBAL max_error_count = DEFAULT");
      }
    }
  }

  private static List<String> problems() throws SQLException {
    TargetServer server = server();
    try (TargetConnection connection = server.connect()) {
      return server.dialect().checks().database(connection, server).stream()
          .map(Problem::toString)
          .toList();
    }
  }

  private static void execute(Connection session, String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String text(Connection session, String query) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }
}
