package dev.sluice.target.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.Problem;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetSessions;
import dev.sluice.target.mariadb.server.ServerKind;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What sessions on MySQL do otherwise than those on MariaDB. */
@NeedsMysql
class MysqlSessionsTest {
  private static final String LIMITS =
      "SELECT CONCAT_WS('|', @@SESSION.max_execution_time, @@SESSION.wait_timeout,"
          + " @@SESSION.net_read_timeout, @@SESSION.net_write_timeout)";

  private static TargetServer server() {
    return MariadbLab.target(ServerKind.MYSQL, MariadbLab.embedded(ServerKind.MYSQL).port());
  }

  @Test
  void theLimitOfATransactionEndsWithIt() throws SQLException {
    try (TargetConnection connection = server().connect()) {
      String before = text(connection.jdbc(), LIMITS);
      connection.limitTransaction(Duration.ofSeconds(7));
      assertThat(text(connection.jdbc(), LIMITS)).isEqualTo("7000|7|7|7");
      connection.jdbc().commit();
      assertThat(text(connection.jdbc(), LIMITS)).isEqualTo(before).isEqualTo("0|86400|600|600");
      connection.limitTransaction(Duration.ofSeconds(7));
      connection.rollback();
      assertThat(text(connection.jdbc(), LIMITS)).isEqualTo(before);
    }
  }

  /** A process that stands still sends no next statement, or no more rows of one. */
  @Test
  void theServerEndsALimitedTransactionWhoseClientStandsStillAlsoWhileItSendsRows()
      throws Exception {
    try (Connection root = MariadbLab.embedded(ServerKind.MYSQL).connect()) {
      execute(root, "DROP TABLE IF EXISTS test.held");
      execute(root, "CREATE TABLE test.held (id int PRIMARY KEY, n int)");
      execute(root, "INSERT INTO test.held VALUES (1, 1)");
      for (boolean sending : List.of(false, true)) {
        CountDownLatch goesOn = new CountDownLatch(1);
        try (TargetConnection limited = server().connect()) {
          limited.limitTransaction(Duration.ofSeconds(1));
          limited.execute("UPDATE test.held SET n = 9");
          String id = text(limited.jdbc(), "SELECT CONNECTION_ID()");
          CompletableFuture<Throwable> sent =
              CompletableFuture.supplyAsync(
                  () -> sending ? catchThrowable(() -> send(limited, goesOn)) : null);
          try {
            await()
                .atMost(Duration.ofMinutes(1))
                .until(
                    () ->
                        text(
                                root,
                                "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = "
                                    + id)
                            .equals("0"));
            execute(root, "UPDATE test.held SET n = n + 1");
          } finally {
            goesOn.countDown();
            sent.join();
          }
        }
      }
      assertThat(text(root, "SELECT n FROM test.held")).isEqualTo("3");
    }
  }

  /** Sends rows that do not come. */
  private static void send(TargetConnection connection, CountDownLatch goesOn) throws SQLException {
    try (Statement statement = connection.jdbc().createStatement()) {
      statement
          .unwrap(org.mariadb.jdbc.Statement.class)
          .setLocalInfileInputStream(
              new InputStream() {
                @Override
                public int read() throws IOException {
                  try {
                    goesOn.await();
                    return -1;
                  } catch (InterruptedException e) {
                    throw new IOException(e);
                  }
                }
              });
      statement.execute("LOAD DATA LOCAL INFILE 'sluice' INTO TABLE test.held (id, n)");
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
        assertThat(problems()).anyMatch(problem -> problem.contains("read_only is ON"));
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

  /** A server makes itself read-only as it leaves its group. */
  @Test
  void aServerThatHasLeftItsGroupIsRefusedAndOneWhoseConfigurationStillNamesAGroupIsNot()
      throws SQLException {
    try (Connection root = MariadbLab.embedded(ServerKind.MYSQL).connect()) {
      assertThat(TargetChecks.notes(server())).isEmpty();
      execute(root, "INSTALL PLUGIN group_replication SONAME 'group_replication.so'");
      try {
        execute(
            root,
            "SET GLOBAL group_replication_group_name = '3e11fa47-71ca-11e1-9e33-c80aa9429562'");
        assertThat(TargetChecks.notes(server())).isEmpty();
        assertThat(problems()).isEmpty();
        execute(root, "SET GLOBAL super_read_only = ON");
        assertThat(TargetChecks.notes(server()))
            .singleElement()
            .asString()
            .contains("a member of Group Replication (with one primary)", "error 3101");
        assertThat(problems())
            .anyMatch(problem -> problem.contains("its member_state is OFFLINE, not ONLINE"));
      } finally {
        execute(root, "SET GLOBAL super_read_only = OFF, GLOBAL read_only = OFF");
        execute(root, "UNINSTALL PLUGIN group_replication");
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
