package dev.sluice.embedded.postgres.strict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

class StrictProxyTest {
  private static final long SEED = 20261128;

  private static EmbeddedPostgres postgres;

  private StrictProxy proxy;
  private Connection direct;
  private Connection session;

  @BeforeAll
  static void start() {
    postgres = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @BeforeEach
  void open() throws Exception {
    proxy = new StrictProxy(postgres.port(), SEED);
    direct = postgres.connect();
    run(direct, "DROP SCHEMA IF EXISTS s CASCADE", "CREATE SCHEMA s", "CREATE TABLE s.t (id int)");
    session = connect("");
  }

  @AfterEach
  void close() throws Exception {
    session.close();
    direct.close();
    proxy.close();
  }

  private Connection connect(String options) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + proxy.port() + "/postgres?user=postgres" + options);
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static String value(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  private String rows() throws SQLException {
    return value(direct, "SELECT count(*) FROM s.t");
  }

  private void refuses(String sql) {
    assertThatThrownBy(() -> run(session, sql))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT ctid FROM s.t",
        "SELECT t.\"ctid\" FROM s.t",
        "SELECT tableoid FROM s.t",
        "SELECT xmin FROM pg_namespace",
        "SELECT '0/0'::pg_lsn",
        "CREATE TABLE s.l (at pg_lsn)",
        "SELECT pg_current_wal_insert_lsn()",
        "CREATE TABLE s.d (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)",
        "CREATE TABLE s.e (r int4range, EXCLUDE USING gist (r WITH &&))",
        "CREATE TABLE s.c () INHERITS (s.t)",
        "CREATE TEMPORARY TABLE d (id int) ON COMMIT DROP",
        "CREATE TEMPORARY TABLE r (id int) ON COMMIT DELETE ROWS",
      })
  void whatYugabytedbRefusesIsRefusedAlthoughThePostgresBehindTakesIt(String sql)
      throws SQLException {
    refuses(sql);
    assertThat(proxy.refused()).hasSize(1);
    run(direct, sql);
  }

  @Test
  void copyWithAConditionAndLocksOtherThanAccessShareAreRefused() throws SQLException {
    assertThatThrownBy(() -> copy("COPY s.t FROM STDIN WHERE id > 1", "1\n"))
        .hasMessageContaining("COPY with where");
    assertThatThrownBy(() -> copy("COPY s.t FROM STDIN (ON_ERROR ignore)", "x\n"))
        .hasMessageContaining("COPY with on_error");
    session.setAutoCommit(false);
    run(session, "LOCK TABLE s.t IN ACCESS SHARE MODE");
    refuses("LOCK TABLE s.t IN SHARE ROW EXCLUSIVE MODE");
    session.rollback();
    refuses("LOCK TABLE s.t");
  }

  @Test
  void definitionsAndSavepointsDoNotMeetInATransactionAndNoTruncateIsInOne() throws SQLException {
    session.setAutoCommit(false);
    run(session, "SAVEPOINT a");
    refuses("CREATE TEMPORARY TABLE x (id int)");
    session.rollback();
    run(session, "CREATE TEMPORARY TABLE x (id int)");
    refuses("SAVEPOINT a");
    session.rollback();
    run(session, "SAVEPOINT a");
    session.rollback();
    refuses("TRUNCATE s.t");
  }

  @Test
  void whatNamesLiteralsAndCommentsSayIsNotRefused() throws SQLException {
    run(
        session,
        "SELECT 'ctid' AS \"a ctid\" -- ctid",
        "SELECT $$pg_lsn$$ /* pg_lsn */, E'it''s ctid'",
        "CREATE TABLE s.f (id int PRIMARY KEY, o int REFERENCES s.f DEFERRABLE)",
        "CREATE TEMPORARY TABLE x (id int)");
    assertThat(proxy.refused()).isEmpty();
  }

  @Test
  void aTransactionIsLostByARefusalAndTheSessionLivesOn() throws SQLException {
    session.setAutoCommit(false);
    run(session, "INSERT INTO s.t VALUES (1)");
    refuses("SELECT ctid FROM s.t");
    assertThatThrownBy(() -> run(session, "SELECT 1")).hasMessageContaining("aborted");
    session.rollback();
    run(session, "INSERT INTO s.t VALUES (2)");
    session.commit();
    assertThat(value(session, "SELECT min(id) FROM s.t")).isEqualTo("2");
  }

  @Test
  void aCopyOutsideOfABlockIsCommittedInPiecesUnlessTheSessionHasSwitchedThatOff()
      throws Exception {
    run(session, "SET yb_default_copy_from_rows_per_transaction = 2");
    assertThat(copy("COPY s.t FROM STDIN", "1\n2\n3\n4\n5\n")).isEqualTo(5);
    assertThat(rows()).isEqualTo("5");
    assertThatThrownBy(() -> copy("COPY s.t FROM STDIN", "1\n2\n3\nx\n"))
        .hasMessageContaining("integer");
    assertThat(rows()).isEqualTo("7");
    assertThat(copy("COPY s.t FROM STDIN", "1\n")).isEqualTo(1);
    run(session, "SET yb_default_copy_from_rows_per_transaction = 0");
    assertThatThrownBy(() -> copy("COPY s.t FROM STDIN", "1\n2\n3\nx\n"))
        .hasMessageContaining("integer");
    assertThat(rows()).isEqualTo("8");
  }

  @Test
  void aCopyInABlockIsOnePart() throws Exception {
    run(session, "SET yb_default_copy_from_rows_per_transaction = 2");
    session.setAutoCommit(false);
    copy("COPY s.t FROM STDIN", "1\n2\n3\n");
    assertThat(rows()).isEqualTo("0");
    session.commit();
    assertThat(rows()).isEqualTo("3");
  }

  private long copy(String sql, String rows) throws SQLException, IOException {
    return session
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn(sql, new ByteArrayInputStream(rows.getBytes(StandardCharsets.UTF_8)), 3);
  }

  @Test
  void settingsOfYugabytedbAreKnownAndUndoneWithTheirTransaction() throws SQLException {
    session.setAutoCommit(false);
    run(session, "SET yb_max_query_layer_retries = 0");
    session.commit();
    run(session, "SET yb_max_query_layer_retries = 7");
    session.rollback();
    assertThat(value(session, "SHOW yb_max_query_layer_retries")).isEqualTo("0");
    assertThatThrownBy(() -> run(session, "SET yb_no_such_thing = 1"))
        .hasMessageContaining("yb_no_such_thing");
    assertThat(session.getMetaData().getDatabaseProductVersion()).contains("-YB-");
  }

  @Test
  void aBatchThatBeginsATransactionIsRefusedWhereTheServerMayRetryAPartOfIt() throws SQLException {
    assertThatThrownBy(this::batch).rootCause().hasMessageContaining("retried in part");
    session.setAutoCommit(false);
    value(session, "SELECT 1");
    batch();
    session.commit();
    run(session, "SET yb_max_query_layer_retries = 0");
    session.commit();
    batch();
    session.commit();
    assertThat(rows()).isEqualTo("4");
  }

  private void batch() throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.addBatch("INSERT INTO s.t VALUES (1)");
      statement.addBatch("INSERT INTO s.t VALUES (2)");
      statement.executeBatch();
    }
  }

  /** Each number is inserted by a transaction that is repeated until it is answered. */
  @Test
  void everyKindOfFaultComesAndOnlyAnUnansweredCommitLeavesRows() throws SQLException {
    proxy.fail(200);
    Set<Fault> seen = EnumSet.noneOf(Fault.class);
    int attempts = 0;
    while (seen.size() < Fault.values().length) {
      int before = Integer.parseInt(rows());
      int unanswered = unansweredCommits();
      boolean answered = insert(++attempts);
      boolean committed = unansweredCommits() > unanswered;
      assertThat(Integer.parseInt(rows())).isEqualTo(before + (answered || committed ? 1 : 0));
      seen.addAll(proxy.faults().keySet());
    }
  }

  private int unansweredCommits() {
    return proxy.faults().getOrDefault(Fault.LOST_AFTER_COMMIT, 0)
        + proxy.faults().getOrDefault(Fault.TIMEOUT_AFTER_COMMIT, 0);
  }

  private boolean insert(int number) throws SQLException {
    try (Connection other = connect("")) {
      other.setAutoCommit(false);
      run(other, "INSERT INTO s.t VALUES (" + number + ")");
      other.commit();
      return true;
    } catch (SQLException e) {
      assertThat(e.getSQLState()).isIn("40001", "XX000", "08006");
      return false;
    }
  }

  @Test
  void statementsThatTheDriverHasPreparedFailToo() throws SQLException {
    try (Connection other = connect("&prepareThreshold=1");
        var insert = other.prepareStatement("INSERT INTO s.t VALUES (?)")) {
      for (int i = 0; i < 3; i++) {
        insert.setInt(1, i);
        insert.execute();
      }
      proxy.fail(1000);
      assertThatThrownBy(insert::execute).isInstanceOf(SQLException.class);
    }
    assertThat(rows()).isEqualTo("3");
  }

  @Test
  void eachStatementIsNotedWithoutItsValues() throws SQLException {
    run(session, "SELECT 'secret',\n  42 FROM \"s\".t -- why", "SELECT  'other', 7 FROM \"s\".t");
    assertThat(proxy.statements())
        .contains("SELECT ?, ? FROM \"s\".t")
        .noneMatch(statement -> statement.contains("secret"));
  }

  @Test
  void itListsItselfAsTheClusterUntilItIsToldOthers() throws SQLException {
    String listed =
        "SELECT string_agg(host || ':' || port || ' ' || node_type || ' ' || cloud || '.' || region"
            + " || '.' || zone, ', ' ORDER BY port) FROM yb_servers()";
    assertThat(value(session, listed))
        .isEqualTo("127.0.0.1:" + proxy.port() + " primary cloud1.datacenter1.rack1");
    proxy.list(
        List.of(
            ListedServer.primary(1, "aws.eu.eu-a"),
            new ListedServer(2, "read_replica", "aws.us.us-a")));
    assertThat(value(session, listed))
        .isEqualTo("127.0.0.1:1 primary aws.eu.eu-a, 127.0.0.1:2 read_replica aws.us.us-a");
  }

  @Test
  void serversOfAClusterAreListedWithTheirFigures() throws SQLException {
    String figures =
        "SELECT string_agg(status || ' ' || (metrics ->> 'cpu_usage_user'), ', ' ORDER BY status)"
            + " FROM yb_servers_metrics() LEFT JOIN yb_servers()"
            + " ON yb_servers.uuid = yb_servers_metrics.uuid";
    assertThat(value(session, figures)).isEqualTo("OK 0.10");
    proxy.measure(List.of(MeasuredServer.busy(1, 99), MeasuredServer.notAnswering(2)));
    assertThat(value(session, figures)).isEqualTo("OK 0.99");
    proxy.measure(List.of());
    assertThatThrownBy(() -> value(session, figures)).hasMessageContaining("does not exist");
  }
}
