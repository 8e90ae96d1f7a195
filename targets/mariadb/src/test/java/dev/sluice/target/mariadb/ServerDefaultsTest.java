package dev.sluice.target.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a server gives each session by default, and a session of Sluice must not have. */
class ServerDefaultsTest {
  private static final String NUMBERS = "(SELECT 1 AS n UNION ALL SELECT 2)";

  ServerKind kind() {
    return ServerKind.MARIADB;
  }

  @AfterEach
  void restore() throws SQLException {
    for (String name :
        List.of("sql_select_limit", "max_join_size", "completion_type", "group_concat_max_len")) {
      run("SET GLOBAL " + name + " = DEFAULT");
    }
  }

  @Test
  void noRowsAreLeftOutOfAnAnswer() throws SQLException {
    run("SET GLOBAL sql_select_limit = 1");
    assertThat(texts("SELECT n FROM " + NUMBERS + " AS a")).containsExactly("1", "2");
  }

  @Test
  void noStatementIsRefusedForTheRowsThatItMayRead() throws SQLException {
    run("SET GLOBAL max_join_size = 50000");
    String tables =
        IntStream.rangeClosed(1, 16)
            .mapToObj(number -> NUMBERS + " AS t" + number)
            .collect(Collectors.joining(", "));
    assertThat(texts("SELECT COUNT(*) FROM " + tables)).containsExactly("65536");
  }

  @Test
  void noNamesAreCutOffAListOfThem() throws SQLException {
    run("SET GLOBAL group_concat_max_len = 4");
    assertThat(texts("SELECT GROUP_CONCAT(n + 1000 ORDER BY n) FROM " + NUMBERS + " AS a"))
        .containsExactly("1001,1002");
  }

  @Test
  void aCommitDoesNotEndTheSession() throws SQLException {
    run("SET GLOBAL completion_type = 'RELEASE'");
    try (TargetConnection connection = server().connect()) {
      connection.execute("CREATE TEMPORARY TABLE committed (n int PRIMARY KEY)");
      connection.execute("INSERT INTO committed VALUES (1)");
      connection.jdbc().commit();
      assertThat(connection.exists("SELECT 1")).isTrue();
    }
  }

  private TargetServer server() {
    return MariadbLab.target(kind(), MariadbLab.embedded(kind()).port());
  }

  private List<String> texts(String query) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (TargetConnection connection = server().connect();
        Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        texts.add(row.getString(1));
      }
    }
    return texts;
  }

  private void run(String sql) throws SQLException {
    try (Connection session = MariadbLab.embedded(kind()).connect();
        Statement statement = session.createStatement()) {
      statement.execute(sql);
    }
  }
}
