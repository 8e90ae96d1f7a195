package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.sink.target.TargetConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** Which statements a session sends again that the server has undone, and which it does not. */
class YugabyteRepetitionTest {
  private static final String INSERT = "INSERT INTO shop.item VALUES (7, 'new')";

  private YugabyteLab lab;
  private TargetConnection session;

  @BeforeEach
  void open() throws SQLException {
    lab = YugabyteLab.database();
    try (Connection direct = lab.connect();
        Statement statement = direct.createStatement()) {
      statement.execute("CREATE SCHEMA shop");
      statement.execute("CREATE TABLE shop.item (id int PRIMARY KEY, name text)");
      statement.execute("INSERT INTO shop.item VALUES (1, 'old')");
    }
    session = lab.server().connect();
  }

  @AfterEach
  void close() throws SQLException {
    YugabyteLab.proxy().beforeEach("select", () -> {});
    session.close();
    lab.drop();
  }

  @ParameterizedTest
  @EnumSource(names = {"CONFLICT", "CATALOG_MISMATCH"})
  void theFirstStatementOfATransactionIsSentAgain(Fault fault) throws SQLException {
    fail("insert", fault);
    session.execute(INSERT);
    session.jdbc().commit();
    assertThat(items()).isEqualTo("1 7");
  }

  @Test
  void theValuesOfAPreparedStatementAreSentAgain() throws SQLException {
    fail("insert", Fault.CONFLICT);
    try (PreparedStatement statement =
        session.jdbc().prepareStatement("INSERT INTO shop.item VALUES (?, ?)")) {
      statement.setInt(1, 9);
      statement.setString(2, "new");
      assertThat(statement.executeUpdate()).isEqualTo(1);
    }
    session.jdbc().commit();
    assertThat(items()).isEqualTo("1 9");
  }

  @Test
  void aStatementThatIsATransactionIsSentAgain() throws SQLException {
    session.jdbc().setAutoCommit(true);
    fail("insert", Fault.CONFLICT);
    session.execute(INSERT);
    assertThat(items()).isEqualTo("1 7");
  }

  @Test
  void aTransactionThatHasOnlyReadGoesOn() throws SQLException {
    assertThat(session.exists("SELECT 1 FROM shop.item")).isTrue();
    fail("select", Fault.CONFLICT);
    assertThat(session.exists("SELECT 1 FROM shop.item WHERE id = 1")).isTrue();
    fail("insert", Fault.CONFLICT);
    session.execute(INSERT);
    session.jdbc().commit();
    assertThat(items()).isEqualTo("1 7");
  }

  /** Whoever has done it begins the transaction again, and knows what else belongs to it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE shop.item SET name = 'lost'",
        "SELECT 1 FROM shop.item WHERE id = 1 FOR UPDATE",
        "SELECT pg_catalog.pg_advisory_xact_lock(1, 2)",
        "SELECT pg_catalog.set_config('lock_timeout', '5', true)",
        "WITH gone AS (DELETE FROM shop.item RETURNING 1) SELECT 1 FROM gone",
        "SET LOCAL lock_timeout = 5",
        "SAVEPOINT one"
      })
  void aStatementBehindWhatWouldBeLostIsNotSentAgain(String before) throws SQLException {
    try (Statement statement = session.jdbc().createStatement()) {
      statement.execute(before);
    }
    requireNotSentAgain();
  }

  @Test
  void aStatementBehindRowsOfACopyIsNotSentAgain() throws Exception {
    assertThat(session.exists("SELECT 1 FROM shop.item")).isTrue();
    session
        .jdbc()
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn("COPY shop.item FROM STDIN", new java.io.StringReader("5\tcopied\n"));
    requireNotSentAgain();
  }

  @Test
  void aStatementBehindAPipelineIsNotSentAgain() throws SQLException {
    assertThat(session.exists("SELECT 1 FROM shop.item")).isTrue();
    session.pipeline().add("UPDATE shop.item SET name = 'lost'", 5);
    session.pipeline().execute();
    requireNotSentAgain();
  }

  @Test
  void aStatementWithinRowsThatAreStillReadIsNotSentAgain() throws SQLException {
    try (Statement streamed = session.jdbc().createStatement()) {
      streamed.setFetchSize(1);
      try (ResultSet rows = streamed.executeQuery("SELECT generate_series(1, 3)")) {
        rows.next();
        requireNotSentAgain();
      }
    }
  }

  private void requireNotSentAgain() throws SQLException {
    fail("insert", Fault.CONFLICT);
    assertThatThrownBy(() -> session.execute(INSERT))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
    session.rollback();
    assertThat(items()).isEqualTo("1");
    session.execute(INSERT);
    session.jdbc().commit();
    assertThat(items()).isEqualTo("1 7");
  }

  @Test
  void aStatementWithoutAnAnswerIsNotSentAgain() {
    fail("insert", Fault.STORAGE_TIMEOUT);
    assertThatThrownBy(() -> session.execute(INSERT)).hasMessageContaining("Timed out");
  }

  /** Half of it may stay, and only its owner knows what to do then. */
  @Test
  void aDefinitionIsNotSentAgain() throws SQLException {
    session.jdbc().setAutoCommit(true);
    fail("alter table", Fault.CONFLICT);
    assertThatThrownBy(() -> session.execute("ALTER TABLE shop.item ADD more int"))
        .isInstanceOf(SQLException.class);
    assertThatCode(() -> session.execute("ALTER TABLE shop.item ADD more int"))
        .doesNotThrowAnyException();
  }

  @Test
  void itIsGivenUpAfterSomeTries() {
    AtomicInteger sent = new AtomicInteger();
    YugabyteLab.proxy()
        .beforeEach(
            "select",
            () -> {
              sent.incrementAndGet();
              fail("select", Fault.CONFLICT);
            });
    assertThatThrownBy(() -> session.exists("SELECT 1 FROM shop.item"))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
    assertThat(sent.get()).isBetween(2, 20);
  }

  private static void fail(String begin, Fault fault) {
    YugabyteLab.proxy().failOnce(begin, fault);
  }

  private String items() throws SQLException {
    try (Connection direct = lab.connect();
        Statement statement = direct.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT string_agg(id::text, ' ' ORDER BY id) FROM shop.item")) {
      row.next();
      return row.getString(1);
    }
  }
}
