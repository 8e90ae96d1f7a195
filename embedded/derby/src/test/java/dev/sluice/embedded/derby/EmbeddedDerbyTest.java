package dev.sluice.embedded.derby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.db2.jcc.DB2BaseDataSource;
import java.nio.file.Path;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Db2's driver finds on a server of Derby. A dialect of Db2 is built on these answers. */
class EmbeddedDerbyTest {
  private final EmbeddedDerby server = SharedDerby.server();

  private Db2Connection session;

  @BeforeEach
  void createTable() throws SQLException {
    session = Db2Connection.open(server);
    session.run(
        "CREATE TABLE \"item\" (\"id\" BIGINT NOT NULL PRIMARY KEY, \"code\" INT, \"note\""
            + " VARCHAR(100), \"kind\" CHAR(5))",
        "CREATE UNIQUE INDEX \"item code\" ON \"item\" (\"code\")",
        "INSERT INTO \"item\" VALUES (1, 10, 'one', 'a'), (2, 20, 'two', 'b'), (3, 30, '', 'c')");
    session.jdbc().commit();
  }

  @AfterEach
  void dropTable() throws SQLException {
    session.jdbc().rollback();
    session.run("DROP TABLE \"item\"");
    session.jdbc().commit();
    session.close();
  }

  @Test
  void theServerAnswersDb2sDriverOverItsProtocol() throws SQLException {
    DatabaseMetaData found = session.jdbc().getMetaData();
    assertThat(found.getDriverName()).startsWith("IBM Data Server Driver");
    assertThat(found.getDatabaseProductName()).isEqualTo("Apache Derby");
    assertThat(session.rows("SELECT \"id\", \"note\" FROM \"item\" ORDER BY \"id\""))
        .containsExactly("1|one", "2|two", "3|");
  }

  @Test
  void aKilledServerKeepsWhatIsCommittedAndAClosedOneNothing() throws SQLException {
    Path left;
    try (EmbeddedDerby killed = EmbeddedDerby.start()) {
      left = killed.directory();
      Db2Connection lost = Db2Connection.open(killed);
      lost.run("CREATE TABLE kept (n INT)", "INSERT INTO kept VALUES 1");
      lost.jdbc().commit();
      lost.run("INSERT INTO kept VALUES 2");
      killed.kill();
      assertThatThrownBy(() -> lost.jdbc().commit()).isInstanceOf(SQLException.class);
      killed.restart();
      try (Db2Connection next = Db2Connection.open(killed)) {
        assertThat(next.rows("SELECT n FROM kept")).containsExactly("1");
      }
    }
    assertThat(left).doesNotExist();
  }

  /** The pipe to the server ends when this process ends, however that comes. */
  @Test
  void aServerEndsWithTheProcessThatStartedIt() throws Exception {
    try (EmbeddedDerby orphan = EmbeddedDerby.start()) {
      orphan.process().getOutputStream().close();
      assertThat(orphan.process().onExit().join().isAlive()).isFalse();
    }
  }

  /** So each count is looked at, and whoever finds a failure rolls back. */
  @Test
  void aBatchGoesOnAfterAFailingRow() throws SQLException {
    try (PreparedStatement insert =
        session.jdbc().prepareStatement("INSERT INTO \"item\" (\"id\", \"code\") VALUES (?, ?)")) {
      for (int id : List.of(4, 1, 5)) {
        insert.setInt(1, id);
        insert.setInt(2, 100 + id);
        insert.addBatch();
      }
      assertThatThrownBy(insert::executeBatch)
          .isInstanceOfSatisfying(
              BatchUpdateException.class,
              failure -> {
                assertThat(failure.getUpdateCounts()).containsExactly(1, -3, 1);
                assertThat(failure.getNextException().getSQLState()).isEqualTo("23505");
              });
    }
    assertThat(session.rows("SELECT COUNT(*) FROM \"item\"")).containsExactly("5");
    session.jdbc().rollback();
    assertThat(session.rows("SELECT COUNT(*) FROM \"item\"")).containsExactly("3");
  }

  /** Other than in PostgreSQL, so two rows of a source may not fit. */
  @Test
  void nullsAreEqualInAUniqueIndex() throws SQLException {
    session.run("INSERT INTO \"item\" (\"id\") VALUES (4)");
    assertThatThrownBy(() -> session.run("INSERT INTO \"item\" (\"id\") VALUES (5)"))
        .isInstanceOfSatisfying(
            SQLException.class,
            failure -> {
              assertThat(failure.getSQLState()).isEqualTo("23505");
              // A server of Db2 has its own numbers, such as -803: Derby has the state only.
              assertThat(failure.getErrorCode()).isEqualTo(-1);
            });
  }

  @Test
  void rowsAreDeletedUpdatedAndInsertedFromATemporaryTableWithoutMerge() throws SQLException {
    session.run(
        "DECLARE GLOBAL TEMPORARY TABLE SESSION.staged (k BIGINT, code INT, note VARCHAR(100))"
            + " ON COMMIT DELETE ROWS NOT LOGGED",
        "INSERT INTO SESSION.staged VALUES (1, 11, 'new'), (2, 20, 'changed'), (9, 90, 'none')");
    String matches = "EXISTS (SELECT 1 FROM SESSION.staged AS s WHERE s.k = t.\"id\")";
    String value = "(SELECT s.%s FROM SESSION.staged AS s WHERE s.k = t.\"id\")";
    assertThat(
            session.run(
                "UPDATE \"item\" AS t SET \"code\" = %s, \"note\" = %s WHERE %s"
                    .formatted(value.formatted("code"), value.formatted("note"), matches)))
        .isEqualTo(2);
    assertThat(session.rows("SELECT \"code\", \"note\" FROM \"item\" ORDER BY \"id\""))
        .containsExactly("11|new", "20|changed", "30|");
    assertThat(session.run("DELETE FROM \"item\" AS t WHERE " + matches)).isEqualTo(2);
    assertThat(
            session.run(
                "INSERT INTO \"item\" (\"id\", \"code\") SELECT s.k, s.code FROM SESSION.staged"
                    + " AS s"))
        .isEqualTo(3);
    session.jdbc().rollback();
    assertThat(session.rows("SELECT \"id\", \"code\" FROM \"item\" ORDER BY \"id\""))
        .containsExactly("1|10", "2|20", "3|30");
  }

  @Test
  void aTemporaryTableStaysWithItsSessionAndIsEmptyAfterEachTransaction() throws SQLException {
    session.run(
        "DECLARE GLOBAL TEMPORARY TABLE SESSION.kept (n INT) ON COMMIT DELETE ROWS NOT LOGGED");
    session.run("INSERT INTO SESSION.kept VALUES 1");
    session.jdbc().commit();
    assertThat(session.rows("SELECT n FROM SESSION.kept")).isEmpty();
    session.run("INSERT INTO SESSION.kept VALUES 2");
    session.jdbc().rollback();
    assertThat(session.rows("SELECT n FROM SESSION.kept")).isEmpty();
    try (Db2Connection other = Db2Connection.open(server)) {
      assertThatThrownBy(() -> other.rows("SELECT n FROM SESSION.kept"))
          .isInstanceOf(SQLException.class);
    }
    session.run("DROP TABLE SESSION.kept");
    session.jdbc().commit();
  }

  /** What is proven here does without both, whatever a Db2 allows. */
  @Test
  void aTemporaryTableHasNoLongValuesAndNoIndex() throws SQLException {
    assertThatThrownBy(
            () ->
                session.run(
                    "DECLARE GLOBAL TEMPORARY TABLE SESSION.long (c CLOB) ON COMMIT DELETE ROWS NOT"
                        + " LOGGED"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("42962");
    session.run(
        "DECLARE GLOBAL TEMPORARY TABLE SESSION.short (n INT) ON COMMIT DELETE ROWS NOT LOGGED");
    assertThatThrownBy(() -> session.run("CREATE INDEX SESSION.i ON SESSION.short (n)"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("42995");
  }

  /** A key is compared with its length as well, or the row of another key is changed. */
  @Test
  void textsThatDifferInTrailingBlanksAreEqual() throws SQLException {
    assertThat(session.rows("SELECT \"id\" FROM \"item\" WHERE \"note\" = 'one  '"))
        .containsExactly("1");
    assertThat(
            session.rows(
                "SELECT \"id\" FROM \"item\" WHERE \"note\" = 'one  ' AND LENGTH(\"note\") = 5"))
        .isEmpty();
    assertThat(session.rows("SELECT \"kind\" FROM \"item\" WHERE \"kind\" = 'a'"))
        .containsExactly("a    ");
    assertThat(session.rows("SELECT \"id\" FROM \"item\" WHERE \"note\" = ''"))
        .containsExactly("3");
  }

  /** What fences an earlier owner of a task: it reads its epoch behind this lock. */
  @Test
  void aRowThatIsReadForUpdateInReadStabilityIsLockedUntilTheTransactionEnds() throws Exception {
    session.jdbc().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    String read = "SELECT \"code\" FROM \"item\" WHERE \"id\" = 1 FOR UPDATE";
    assertThat(session.rows(read)).containsExactly("10");
    try (Db2Connection other = Db2Connection.open(server);
        Db2Connection watcher = Db2Connection.open(server)) {
      other.jdbc().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      CompletableFuture<List<String>> waiting =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return other.rows(read);
                } catch (SQLException e) {
                  throw new CompletionException(e);
                }
              });
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> waiting.isDone() || isAnyWaiting(watcher));
      assertThat(waiting).isNotDone();
      session.run("UPDATE \"item\" SET \"code\" = 11 WHERE \"id\" = 1");
      session.jdbc().commit();
      assertThat(waiting.join()).containsExactly("11");
    }
  }

  private static boolean isAnyWaiting(Db2Connection watcher) throws SQLException {
    return !watcher.rows("SELECT XID FROM SYSCS_DIAG.LOCK_TABLE WHERE STATE = 'WAIT'").isEmpty();
  }

  /** Those from before the savepoint as well, so they are staged again. */
  @Test
  void aTemporaryTableLosesAllItsRowsWithARollbackToASavepoint() throws SQLException {
    String declared =
        "DECLARE GLOBAL TEMPORARY TABLE SESSION.lost (n INT) ON COMMIT DELETE ROWS NOT LOGGED";
    session.run(declared, "INSERT INTO SESSION.lost VALUES 1");
    Savepoint before = session.jdbc().setSavepoint();
    session.run("INSERT INTO SESSION.lost VALUES 2");
    session.jdbc().rollback(before);
    assertThat(session.rows("SELECT n FROM SESSION.lost")).isEmpty();
    session.run("DROP TABLE SESSION.lost");
    session.jdbc().commit();
  }

  @Test
  void ofTwoSessionsThatWaitForEachOtherOneFailsWithTheStateOfADeadlock() throws Exception {
    session.run("UPDATE \"item\" SET \"note\" = 'x' WHERE \"id\" = 1");
    try (Db2Connection other = Db2Connection.open(server)) {
      other.run("UPDATE \"item\" SET \"note\" = 'y' WHERE \"id\" = 2");
      CompletableFuture<String> theirs = stateOf(other, 1);
      CompletableFuture<String> ours = stateOf(session, 2);
      // The whole transaction of the one is rolled back, so the other gets its lock.
      assertThat(List.of(theirs.join(), ours.join())).containsExactlyInAnyOrder("40001", "");
    }
  }

  /** Updates a row; the state of the error, or nothing. */
  private static CompletableFuture<String> stateOf(Db2Connection of, int id) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            of.run("UPDATE \"item\" SET \"note\" = 'z' WHERE \"id\" = " + id);
            return "";
          } catch (SQLException e) {
            return e.getSQLState();
          }
        });
  }

  /** So a window that is broken off would wait on, with its locks. */
  @Test
  void aStatementThatWaitsEndsNeitherByACancelNorByAnAbortOfTheDriver() throws Exception {
    // A server of its own: the aborted session keeps its locks there.
    try (EmbeddedDerby own = EmbeddedDerby.start();
        Db2Connection holder = holderOf(own)) {
      Db2Connection aborted = Db2Connection.open(own);
      Statement update = aborted.jdbc().createStatement();
      CompletableFuture<Integer> waiting = waiting(own, update);
      assertThatThrownBy(update::cancel)
          .isInstanceOfSatisfying(
              SQLException.class, refused -> assertThat(refused.getErrorCode()).isEqualTo(-4450));
      aborted.jdbc().abort(Runnable::run);
      holder.jdbc().rollback();
      assertThat(waiting.join()).isEqualTo(1);
    }
  }

  @Test
  void aCancelThatClosesTheSocketEndsTheStatementAndItsTransaction() throws Exception {
    try (Db2Connection holder = holderOf(server);
        Db2Connection broken =
            Db2Connection.open(server, DB2BaseDataSource.INTERRUPT_PROCESSING_MODE_CLOSE_SOCKET)) {
      broken.run("INSERT INTO held VALUES 7");
      Statement update = broken.jdbc().createStatement();
      CompletableFuture<Integer> waiting = waiting(server, update);
      update.cancel();
      assertThatThrownBy(waiting::join)
          .hasCauseInstanceOf(SQLException.class)
          .satisfies(
              lost -> assertThat(((SQLException) lost.getCause()).getErrorCode()).isEqualTo(-4499));
      holder.jdbc().rollback();
      // Both wait until the server has rolled back.
      assertThat(holder.rows("SELECT n FROM held")).containsExactly("1");
      holder.run("DROP TABLE held");
      holder.jdbc().commit();
    }
  }

  /** A session that holds the row of a new table. */
  private static Db2Connection holderOf(EmbeddedDerby own) throws SQLException {
    Db2Connection holder = Db2Connection.open(own);
    holder.run("CREATE TABLE held (n INT)", "INSERT INTO held VALUES 1");
    holder.jdbc().commit();
    holder.run("UPDATE held SET n = 2");
    return holder;
  }

  /** An update of the row that is held, which waits by now. */
  private static CompletableFuture<Integer> waiting(EmbeddedDerby own, Statement update)
      throws Exception {
    CompletableFuture<Integer> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return update.executeUpdate("UPDATE held SET n = 3");
              } catch (SQLException e) {
                throw new CompletionException(e);
              }
            });
    try (Db2Connection watcher = Db2Connection.open(own)) {
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> waiting.isDone() || isAnyWaiting(watcher));
    }
    return waiting;
  }

  /** The driver has no other way to a catalog that both servers have. */
  @Test
  void theDriversMetadataKnowColumnsKeysAndUniqueIndexes() throws SQLException {
    DatabaseMetaData metadata = session.jdbc().getMetaData();
    assertThat(names(metadata.getColumns(null, "APP", "item", null), "COLUMN_NAME", "TYPE_NAME"))
        .containsExactly("id|BIGINT", "code|INTEGER", "note|VARCHAR", "kind|CHAR");
    assertThat(names(metadata.getPrimaryKeys(null, "APP", "item"), "COLUMN_NAME"))
        .containsExactly("id");
    assertThat(
            names(
                metadata.getIndexInfo(null, "APP", "item", true, true),
                "INDEX_NAME",
                "COLUMN_NAME"))
        .contains("item code|code");
  }

  private static List<String> names(ResultSet row, String... columns) throws SQLException {
    List<String> names = new ArrayList<>();
    try (row) {
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (String column : columns) {
          values.add(row.getString(column));
        }
        names.add(String.join("|", values));
      }
    }
    return names;
  }
}
