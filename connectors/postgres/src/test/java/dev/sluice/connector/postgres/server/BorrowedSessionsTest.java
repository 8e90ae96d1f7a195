package dev.sluice.connector.postgres.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.connector.postgres.SourceFixture;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class BorrowedSessionsTest {
  private static final String PROCESS = "SELECT pg_backend_pid()";

  @Test
  void aSessionIsLentAgainAsIfItWereNew() throws Exception {
    try (SourceFixture fixture =
        new SourceFixture("CREATE TABLE t (id int)", "GRANT INSERT ON t TO pg_monitor")) {
      SourceServer server = fixture.source.server();
      String process;
      String settings = "SELECT string_agg(name || setting, ',' ORDER BY name) FROM pg_settings";
      String asNew;
      try (Connection session = server.borrow()) {
        process = query(session, PROCESS);
        asNew = query(session, settings);
        execute(session, "SET statement_timeout = 77; SET search_path = public; SET jit = off");
        execute(session, "SET ROLE pg_monitor; CREATE TEMPORARY TABLE kept (id int)");
        execute(session, "SELECT pg_advisory_lock(7)");
        session.setAutoCommit(false);
        execute(session, "INSERT INTO public.t VALUES (1)");
      }
      try (Connection session = server.borrow()) {
        assertThat(query(session, PROCESS)).isEqualTo(process);
        assertThat(session.getAutoCommit()).isTrue();
        assertThat(query(session, settings)).isEqualTo(asNew);
        assertThat(query(session, "SELECT current_user")).isEqualTo("postgres");
        assertThat(query(session, "SELECT to_regclass('pg_temp.kept')")).isNull();
        assertThat(query(session, "SELECT count(*) FROM public.t")).isEqualTo("0");
        assertThat(query(session, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
            .isEqualTo("0");
      }
    }
  }

  @Test
  void aSessionThatTheServerHasEndedIsNotLentAgain() throws Exception {
    try (SourceFixture fixture = new SourceFixture();
        Connection administrator = fixture.connect()) {
      SourceServer server = fixture.source.server();
      String process;
      try (Connection session = server.borrow()) {
        process = query(session, PROCESS);
      }
      query(administrator, "SELECT pg_terminate_backend(%s, 60000)".formatted(process));
      try (Connection session = server.borrow()) {
        assertThat(query(session, PROCESS)).isNotEqualTo(process);
      }
    }
  }

  @Test
  void aSessionThatNobodyUsesEnds() throws Exception {
    try (SourceFixture fixture = new SourceFixture();
        Connection administrator = fixture.connect()) {
      SourceServer server = fixture.source.server();
      String process;
      try (Connection session = server.borrow()) {
        process = query(session, PROCESS);
      }
      Awaitility.await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () ->
                  query(
                          administrator,
                          "SELECT count(*) FROM pg_stat_activity WHERE pid = " + process)
                      .equals("0"));
      server.borrow().close();
    }
  }

  @Test
  void theReasonWhyNoneCanBeOpenedIsTheServers() {
    SourceServer server =
        new SourceServer("jdbc:postgresql://127.0.0.1:1/none", "nobody", null, "sluice test");
    assertThatThrownBy(server::borrow)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08001"));
  }

  private static void execute(Connection session, String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String query(Connection session, String sql) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
