package dev.sluice.target.db2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.db2.catalog.Db2Metadata;
import dev.sluice.target.db2.session.Db2Session;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Db2SessionsTest {
  private static final TableId PARENT = new TableId("shape", "parent");

  private Connection admin;
  private TargetServer server;

  @BeforeEach
  void open() throws SQLException {
    server = Db2Lab.target(Db2Lab.embedded().port());
    admin = Db2Lab.admin();
    Db2Lab.run(
        admin,
        "CREATE SCHEMA shape",
        "CREATE TABLE shape.parent (id INTEGER NOT NULL PRIMARY KEY, n INTEGER, large CLOB,"
            + " twice INTEGER GENERATED ALWAYS AS (2 * n))",
        "CREATE TABLE shape.child (id INTEGER NOT NULL PRIMARY KEY, parent INTEGER,"
            + " CONSTRAINT of_parent FOREIGN KEY (parent) REFERENCES shape.parent (id))",
        "CREATE TRIGGER shape.acts AFTER INSERT ON shape.parent"
            + " INSERT INTO shape.child VALUES (1, NULL)");
  }

  @AfterEach
  void close() throws SQLException {
    Db2Lab.run(
        admin,
        "DROP TRIGGER shape.acts",
        "DROP TABLE shape.child",
        "DROP TABLE shape.parent",
        "DROP SCHEMA shape RESTRICT");
    admin.close();
  }

  @Test
  void triggersForeignKeysLargeObjectsAndComputedColumnsAreSeen() throws SQLException {
    try (TargetConnection connection = server.connect()) {
      TargetTable table =
          connection.dialect().catalog().table(connection.jdbc(), PARENT).orElseThrow();
      assertThat(table.firing()).containsExactly("trigger acts", "foreign key of_parent of child");
      assertThat(table.unfit())
          .singleElement()
          .satisfies(problem -> assertThat(problem.toString()).contains("large").contains("CLOB"));
      assertThat(table.column("twice").orElseThrow().generated()).isTrue();
      assertThat(table.column("n").orElseThrow().generated()).isFalse();
      assertThat(
              connection
                  .dialect()
                  .catalog()
                  .table(connection.jdbc(), new TableId("shape", "PARENT")))
          .isEmpty();
    }
  }

  /** The two run DDL at once. */
  @Test
  void aStatementThatAnotherSessionTakesFromDerbyIsOvertaken() {
    String text = "SQLCODE=-1, SQLSTATE=XJ001, SQLERRMC=java.lang.";
    assertThat(fault(text + "NullPointerExceptionCannot enter synchronized block"))
        .isEqualTo(TargetFault.TRANSACTION_CONFLICT);
    assertThat(fault(text + "OutOfMemoryError")).isEqualTo(TargetFault.OTHER);
  }

  private static TargetFault fault(String text) {
    return Db2Dialect.INSTANCE.errors().faultOf(new SQLException(text, "XJ001", -1));
  }

  /** As one whose statement the driver gives up, by closing its socket. */
  @Test
  void aBorrowedSessionThatIsLostKeepsNoLockByName() throws SQLException {
    try (TargetConnection borrowed = server.borrow()) {
      borrowed.dialect().locks().lock(borrowed.jdbc(), "purpose", "lost");
      Connection driver = borrowed.jdbc().unwrap(Db2Session.class).getDelegate();
      driver.rollback();
      driver.close();
    }
    try (TargetConnection other = server.connect()) {
      assertThat(other.dialect().locks().tryLock(other.jdbc(), "purpose", "lost")).isTrue();
    }
  }

  /** Derby says of its index that it is not unique, as several rows may have NULL. */
  @Test
  void aUniqueConstraintThatAllowsNullsIsSeenAndFindsNoRows() throws SQLException {
    Db2Lab.run(admin, "ALTER TABLE shape.child ADD CONSTRAINT once UNIQUE (parent, id)");
    try (TargetConnection connection = server.connect()) {
      TargetTable table =
          connection
              .dialect()
              .catalog()
              .table(connection.jdbc(), new TableId("shape", "child"))
              .orElseThrow();
      assertThat(table.indexes())
          .anySatisfy(
              index -> {
                assertThat(index.looksAt()).containsExactlyInAnyOrder("parent", "id");
                assertThat(index.uniqueKey()).isEmpty();
              })
          .anySatisfy(index -> assertThat(index.uniqueKey()).containsExactly("id"));
    }
  }

  /** The driver goes on after it, and rows after it are there until the rollback. */
  @Test
  void aBatchOfWhichARowFailsIsAnErrorOfThatRow() throws SQLException {
    try (TargetConnection connection = server.connect();
        PreparedStatement insert =
            connection.jdbc().prepareStatement("INSERT INTO shape.child (id) VALUES (?)")) {
      for (int id : new int[] {1, 1, 2}) {
        insert.setInt(1, id);
        insert.addBatch();
      }
      assertThatThrownBy(insert::executeBatch)
          .isInstanceOfSatisfying(
              SQLException.class,
              failure ->
                  assertThat(connection.errors().faultOf(failure))
                      .isEqualTo(TargetFault.DUPLICATE_ROW));
      connection.rollback();
      assertThat(connection.exists("SELECT id FROM shape.child")).isFalse();
    }
  }

  @Test
  void aStatementThatWaitsLongerThanItsLimitEndsAndMayPassLater() throws SQLException {
    admin.setAutoCommit(false);
    Db2Lab.run(admin, "INSERT INTO shape.child VALUES (7, NULL)");
    try (TargetConnection connection = server.connect()) {
      connection.waitForLocks(Duration.ofSeconds(1));
      assertThatThrownBy(() -> connection.execute("INSERT INTO shape.child VALUES (7, NULL)"))
          .isInstanceOfSatisfying(
              SQLException.class,
              failure -> assertThat(connection.errors().faultOf(failure).mayPass()).isTrue());
    } finally {
      admin.rollback();
      admin.setAutoCommit(true);
    }
  }

  /** By it an earlier owner of a task is fenced: its epoch is read behind this lock. */
  @Test
  void whatWasReadForUpdateStaysLockedUntilTheTransactionEnds() throws SQLException {
    Db2Lab.run(admin, "INSERT INTO shape.child VALUES (5, NULL)");
    String write = "UPDATE shape.child SET parent = NULL WHERE id = 5";
    try (TargetConnection owner = server.connect();
        TargetConnection other = server.connect();
        TargetConnection later = server.connect()) {
      assertThat(owner.exists("SELECT id FROM shape.child WHERE id = 5 FOR UPDATE")).isTrue();
      other.waitForLocks(Duration.ofSeconds(1));
      assertThatThrownBy(() -> other.execute(write)).isInstanceOf(SQLException.class);
      owner.rollback();
      assertThat(later.execute(write)).isEqualTo(1);
    }
  }

  @Test
  void aPasswordNeedsAWordAboutEncryption() {
    TargetServer open =
        new TargetServer(
            Db2Dialect.INSTANCE,
            new TargetLogin(
                "jdbc:db2://127.0.0.1:%d/lab".formatted(Db2Lab.embedded().port()),
                "app",
                "secret",
                "test",
                0));
    assertThatThrownBy(open::connect)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("sslConnection")
        .hasMessageNotContaining("secret");
  }

  @Test
  void derbyPassesTheChecksOfTheServer() throws SQLException {
    try (TargetConnection connection = server.connect()) {
      assertThat(connection.dialect().checks().database(connection, server)).isEmpty();
      assertThat(Db2Metadata.hasSchema(connection.jdbc(), "shape")).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "40001, -911, TRANSACTION_CONFLICT",
    "57033, -913, TRANSACTION_CONFLICT",
    "57011, -964, UNAVAILABLE",
    "57019, -1034, OTHER",
    "57016, -668, OTHER",
    "57014, -952, CANCELLED",
    "08001, -4499, UNAVAILABLE",
    "58009, -4499, UNAVAILABLE",
    "08506, -4498, UNAVAILABLE",
    "42815, -4461, BAD_ROW",
    "23505, -803, DUPLICATE_ROW",
    "23503, -530, BAD_ROW",
    "22001, -433, TOO_LONG",
    "42704, -204, BAD_NAME",
    "42501, -551, MISSING_RIGHT",
    "54048, -1585, OTHER"
  })
  void errorsAreToldApartByTheirState(String state, int number, TargetFault fault) {
    assertThat(Db2Dialect.INSTANCE.errors().faultOf(new SQLException("text", state, number)))
        .isEqualTo(fault);
  }

  @Test
  void aLockThatAFunctionOfTheServerDidNotGetIsAConflict() {
    String text = "DB2 SQL Error: SQLCODE=-1, SQLSTATE=38000, SQLERRMC=java.sql.SQLException: ";
    for (String reason : List.of("due to a deadlock", "within the time requested")) {
      SQLException failed =
          new SQLException(text + "A lock could not be obtained " + reason, "38000", -1);
      assertThat(Db2Dialect.INSTANCE.errors().faultOf(failed))
          .isEqualTo(TargetFault.TRANSACTION_CONFLICT);
    }
    assertThat(Db2Dialect.INSTANCE.errors().faultOf(new SQLException(text + "x", "38000", -1)))
        .isEqualTo(TargetFault.BAD_ROW);
  }

  @ParameterizedTest
  @CsvSource({
    "40001, 'DB2 SQL Error: SQLCODE=-911, SQLSTATE=40001, SQLERRMC=68, DRIVER=4.31.10', true",
    "40001, 'DB2 SQL Error: SQLCODE=-911, SQLSTATE=40001, SQLERRMC=2, DRIVER=4.31.10', false",
    "40001, 'The transaction was rolled back because of a timeout. Reason code \"68\".', true",
    "40001, 'The transaction was rolled back because of a deadlock. Reason code \"2\".', false",
    "40001, 'A lock could not be obtained due to a deadlock', false",
    "40XL1, 'A lock could not be obtained within the time requested', true",
    "57033, 'DB2 SQL Error: SQLCODE=-913, SQLSTATE=57033, SQLERRMC=68', true",
    "38000, 'SQLException: A lock could not be obtained within the time requested', true",
    "38000, 'SQLException: A lock could not be obtained due to a deadlock', false",
    "51002, 'the plan is gone. Reason code \"68\"', false"
  })
  void aWaitForALockIsToldApartFromADeadlock(String state, String text, boolean waited) {
    assertThat(Db2Dialect.INSTANCE.errors().isLockTimeout(new SQLException(text, state)))
        .isEqualTo(waited);
  }
}
