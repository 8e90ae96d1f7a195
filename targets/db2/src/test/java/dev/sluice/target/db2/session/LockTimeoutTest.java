package dev.sluice.target.db2.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What a session sends to a server that has a limit of locks for each session, as Derby has not.
 */
class LockTimeoutTest {
  private static final String LOCK = "LOCK TABLE \"dst\".\"t\" IN SHARE MODE";
  private static final String WRITE = "DELETE FROM \"dst\".\"t\"";

  private final List<String> sent = new ArrayList<>();
  private final Db2Session session =
      new Db2Session(
          driver(),
          () -> {
            throw new SQLException("no other session");
          });

  /** The statement that fails. */
  private String fails = "";

  @Test
  void noStatementBehindTheLockWaitsLongerUntilTheTransactionEnds() throws SQLException {
    lock(Duration.ofSeconds(1));
    write();
    session.commit();
    write();
    session.commit();
    assertThat(sent)
        .containsExactly(
            "SET CURRENT LOCK TIMEOUT 1",
            LOCK,
            WRITE,
            "SET CURRENT LOCK TIMEOUT NULL",
            "commit",
            WRITE,
            "commit");
  }

  @Test
  void theLimitIsSetBackAlsoIfTheLockIsNotGranted() throws SQLException {
    fails = LOCK;
    assertThatThrownBy(() -> lock(Duration.ofSeconds(1)))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(Db2Session.HELD));
    session.rollback();
    session.rollback();
    assertThat(sent)
        .containsExactly(
            "SET CURRENT LOCK TIMEOUT 1",
            LOCK,
            "rollback",
            "SET CURRENT LOCK TIMEOUT NULL",
            "rollback");
  }

  @Test
  void nothingIsCommittedIfTheLimitCannotBeSetBack() throws SQLException {
    lock(Duration.ofSeconds(1));
    fails = "SET CURRENT LOCK TIMEOUT NULL";
    assertThatThrownBy(session::commit).isInstanceOf(SQLException.class);
    assertThat(sent).doesNotContain("commit");
  }

  @Test
  void aPartOfASecondIsAWholeOne() throws SQLException {
    lock(Duration.ofMillis(1990));
    lock(Duration.ofNanos(1));
    assertThat(sent)
        .containsExactly("SET CURRENT LOCK TIMEOUT 2", LOCK, "SET CURRENT LOCK TIMEOUT 1", LOCK);
  }

  private void lock(Duration timeout) throws SQLException {
    session.lockTable("\"dst\".\"t\"", "SHARE", timeout);
  }

  private void write() throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute(WRITE);
    }
  }

  private Connection driver() {
    DatabaseMetaData metadata =
        answering(DatabaseMetaData.class, (self, call, given) -> "DB2/LINUXX8664");
    Statement statement =
        answering(
            Statement.class,
            (self, call, given) ->
                call.getName().equals("execute") ? run((String) given[0]) : null);
    return answering(
        Connection.class,
        (self, call, given) ->
            switch (call.getName()) {
              case "getMetaData" -> metadata;
              case "createStatement" -> statement;
              default -> {
                sent.add(call.getName());
                yield null;
              }
            });
  }

  private boolean run(String sql) throws SQLException {
    sent.add(sql);
    if (sql.equals(fails)) {
      throw new SQLException("not free", "40001", -911);
    }
    return false;
  }

  private static <T> T answering(Class<T> type, InvocationHandler answers) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, answers));
  }
}
