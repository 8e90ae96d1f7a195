package dev.sluice.target.mariadb;

import static dev.sluice.sink.apply.TargetLab.change;
import static dev.sluice.sink.apply.TargetLab.delete;
import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.sink.window.compaction.Round;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the sessions' settings are for, and what the errors of the server mean. */
class MariadbSessionsTest {
  private static final RowSchema PARENT = schema("parent", "*id int", "n int");

  private TargetLab lab;

  @BeforeEach
  void open() throws SQLException {
    lab = MariadbLab.open();
  }

  @AfterEach
  void close() throws SQLException {
    lab.close();
  }

  @Test
  void foreignKeysNeitherCascadeNorRefuse() throws SQLException {
    lab.run(
        "CREATE TABLE dst.parent (id int PRIMARY KEY, n int)",
        "CREATE TABLE dst.child (id int PRIMARY KEY, parent int,"
            + " FOREIGN KEY (parent) REFERENCES dst.parent (id) ON DELETE CASCADE)",
        "INSERT INTO dst.parent VALUES (1, 1)",
        "INSERT INTO dst.child VALUES (1, 1)");
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(lab.window(net(keyed(PARENT, delete(row("1"))))));
      applier.apply(
          lab.window(net(keyed(schema("child", "*id int", "parent int"), insert(row("2", "9"))))));
    }
    assertThat(lab.rows("SELECT * FROM dst.child ORDER BY id")).containsExactly("1|1", "2|9");
  }

  @Test
  void aSilentSessionEndsInATransactionAndOutsideOfOneUnlessTheLimitIsSetBack()
      throws SQLException {
    lab.run("CREATE TABLE dst.silent (id int PRIMARY KEY)");
    List<String> silent = new ArrayList<>();
    try (TargetConnection outside = lab.server().connect();
        TargetConnection inside = lab.server().connect();
        TargetConnection unlimited = lab.server().connect()) {
      for (TargetConnection each : List.of(outside, inside, unlimited)) {
        silent.add(idOf(each));
        each.rollback();
        each.endAfterSilence(Duration.ofSeconds(1));
      }
      idOf(inside);
      unlimited.endAfterSilence(Duration.ZERO);
      String open =
          "SELECT ID FROM information_schema.PROCESSLIST WHERE ID IN (%s)"
              .formatted(String.join(", ", silent));
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(lab.rows(open)).containsExactly(silent.get(2)));
    }
  }

  private static String idOf(TargetConnection session) throws SQLException {
    try (Statement statement = session.jdbc().createStatement();
        ResultSet row =
            statement.executeQuery("SELECT CONNECTION_ID(), COUNT(*) FROM dst.silent")) {
      row.next();
      return row.getString(1);
    }
  }

  /** Compared as floating numbers, both keys would be the same. */
  @Test
  void largeNumbersAreToldApartInOrder() throws SQLException {
    lab.run("CREATE TABLE dst.parent (id bigint, n decimal(30,2), PRIMARY KEY (id, n))");
    RowSchema large = schema("parent", "*id bigint", "*n numeric");
    Row one = row("9007199254740992", "123456789012345678901234567.01");
    Row other = row("9007199254740993", "123456789012345678901234567.02");
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(
          lab.window(
              new Round.Ordered(
                  List.of(),
                  List.of(
                      new RowChange(large, null, one),
                      new RowChange(large, null, other),
                      new RowChange(large, one, null)))));
    }
    assertThat(lab.rows("SELECT * FROM dst.parent"))
        .containsExactly("9007199254740993|123456789012345678901234567.02");
  }

  @Test
  void aZeroOfTheSourceIsNotReplacedByTheNextNumber() throws SQLException {
    lab.run("CREATE TABLE dst.parent (id int AUTO_INCREMENT PRIMARY KEY, n int)");
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(lab.window(net(keyed(PARENT, insert(row("0", "5"))))));
    }
    assertThat(lab.rows("SELECT * FROM dst.parent")).containsExactly("0|5");
  }

  @Test
  void noColumnSetsItselfToTheCurrentTime() throws SQLException {
    String itself = " timestamp NOT NULL DEFAULT '2001-01-01' ON UPDATE CURRENT_TIMESTAMP";
    lab.run(
        "CREATE TABLE dst.parent (id int PRIMARY KEY, n int, at"
            + itself
            + ", mine"
            + itself
            + ")");
    RowSchema timed = schema("parent", "*id int", "n int", "at timestamptz");
    String at = "2020-01-01 00:00:00+00";
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(lab.window(net(keyed(timed, insert(row("1", "1", at))))));
      applier.apply(lab.window(net(keyed(timed, change(row("1"), row("1", "2", at))))));
    }
    assertThat(lab.rows("SELECT n, CAST(at AS CHAR), CAST(mine AS CHAR) FROM dst.parent"))
        .containsExactly("2|2020-01-01 00:00:00|2001-01-01 00:00:00");
  }

  @Test
  void rowsWithAColumnThatTheTargetLacksAreRefusedAndCommitNothing() throws SQLException {
    lab.run("CREATE TABLE dst.parent (id int PRIMARY KEY, n int)");
    try (BatchApplier applier = lab.applier(0)) {
      lab.apply(applier, lab.window(net(keyed(PARENT, insert(row("1", "1"))))));
      RowSchema wider = schema("parent", "*id int", "n int", "more text");
      assertThatThrownBy(
              () ->
                  lab.apply(
                      applier,
                      lab.window(
                          net(
                              keyed(PARENT, insert(row("2", "2"))),
                              keyed(wider, insert(row("3", "3", "x")))))))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("the target would commit the window");
    }
    assertThat(lab.rows("SELECT * FROM dst.parent")).containsExactly("1|1");
  }

  @Test
  void theControlSchemaIsDroppedWithItsLastTaskOnly() throws SQLException {
    CheckpointStore store = lab.store();
    store.claim("task");
    store.removeUnused();
    assertThat(store.read("task")).isPresent();
    assertThat(store.drop("task")).isTrue();
    store.removeUnused();
    assertThat(
            lab.rows(
                "SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = '"
                    + TargetLab.CONTROL
                    + "'"))
        .isEmpty();
    store.create();
    store.claim("task");
    assertThat(store.read("task")).isPresent();
  }

  @Test
  void aLockThatIsNotFreeInTimeMayPass() throws SQLException {
    lab.run(
        "CREATE TABLE dst.parent (id int PRIMARY KEY, n int)",
        "INSERT INTO dst.parent VALUES (1, 1)");
    try (TargetConnection holder = lab.server().connect();
        TargetConnection waiter = lab.server().connect()) {
      holder.execute("UPDATE dst.parent SET n = 2");
      waiter.waitForLocks(Duration.ofMillis(1));
      SQLException error =
          (SQLException) catchThrowable(() -> waiter.execute("UPDATE dst.parent SET n = 3"));
      assertThat(waiter.errors().faultOf(error)).isEqualTo(TargetFault.UNAVAILABLE);
    }
  }

  @Test
  void aDeadlockIsAConflictOfTransactions() throws SQLException {
    lab.run(
        "CREATE TABLE dst.parent (id int PRIMARY KEY, n int)",
        "INSERT INTO dst.parent VALUES (1, 1), (2, 2)");
    try (TargetConnection one = lab.server().connect();
        TargetConnection other = lab.server().connect()) {
      one.execute("UPDATE dst.parent SET n = 5 WHERE id = 1");
      other.execute("UPDATE dst.parent SET n = 5 WHERE id = 2");
      CompletableFuture<Throwable> first =
          CompletableFuture.supplyAsync(
              () -> catchThrowable(() -> one.execute("UPDATE dst.parent SET n = 6 WHERE id = 2")));
      Throwable second =
          catchThrowable(() -> other.execute("UPDATE dst.parent SET n = 6 WHERE id = 1"));
      // The one that fails is rolled back as a whole, so the other one goes on.
      SQLException error = (SQLException) (second == null ? first.join() : second);
      assertThat(one.errors().faultOf(error)).isEqualTo(TargetFault.TRANSACTION_CONFLICT);
    }
  }

  /** A transaction that has written has a limit of its own. */
  @Test
  void theServerEndsATransactionThatIsIdleForLongerThanItsLimitAlsoAfterAWrite() throws Exception {
    try (TargetConnection limited = lab.server().connect()) {
      limited.execute("CREATE TABLE dst.parent (id int PRIMARY KEY, n int)");
      limited.execute("INSERT INTO dst.parent VALUES (1, 1)");
      limited.jdbc().commit();
      limited.limitTransaction(Duration.ofSeconds(1));
      String id = settings(limited).get(0);
      limited.execute("UPDATE dst.parent SET n = 9 WHERE id = 1");
      try (TargetConnection next = lab.server().connect()) {
        await()
            .atMost(Duration.ofMinutes(1))
            .until(
                () ->
                    !next.exists("SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = " + id));
        next.waitForLocks(Duration.ofSeconds(1));
        next.execute("UPDATE dst.parent SET n = 8 WHERE id = 1");
      }
    }
  }

  @Test
  void aSessionThatIsLentAgainHasNothingOfItsLastUser() throws SQLException {
    TargetConnection first = lab.server().borrow();
    List<String> before = settings(first);
    first.waitForLocks(Duration.ofSeconds(3));
    first.limitTransaction(Duration.ofSeconds(3));
    first.execute("CREATE TEMPORARY TABLE sluice_left (n int)");
    assertThat(first.dialect().locks().tryLock(first.jdbc(), "purpose", "left")).isTrue();
    first.close();
    try (TargetConnection next = lab.server().borrow()) {
      assertThat(settings(next)).isEqualTo(before);
      assertThat(next.dialect().locks().isHeld(next.jdbc(), "purpose", "left")).isFalse();
      assertThatThrownBy(() -> next.exists("SELECT 1 FROM sluice_left"))
          .isInstanceOf(SQLException.class);
    }
  }

  /** In that mode of the server a duplicate would be left out without a word. */
  @Test
  void aDuplicateIsADuplicateWhateverTheServersOldModeIs() throws SQLException {
    lab.run(
        "CREATE TABLE dst.parent (id int PRIMARY KEY, n int UNIQUE)",
        "INSERT INTO dst.parent VALUES (1, 10)",
        "SET GLOBAL old_mode = 'NO_DUP_KEY_WARNINGS_WITH_IGNORE'");
    try (TargetConnection connection = lab.server().connect()) {
      SQLException error =
          (SQLException) catchThrowable(() -> load(connection, IntStream.rangeClosed(10, 12)));
      assertThat(connection.errors().faultOf(error)).isEqualTo(TargetFault.DUPLICATE_ROW);
    } finally {
      lab.run("SET GLOBAL old_mode = DEFAULT");
    }
  }

  /** A node of Galera commits each 10,000 rows of a LOAD DATA then. */
  @Test
  void aServerThatCommitsPartsOfALoadIsRefusedAlsoByASessionThatIsOpen() throws SQLException {
    assumeTrue(
        !lab.rows("SHOW GLOBAL VARIABLES LIKE 'wsrep_load_data_splitting'").isEmpty(),
        "the server has no wsrep_load_data_splitting");
    lab.run("CREATE TABLE dst.parent (id int PRIMARY KEY, n int)");
    try (TargetConnection open = lab.server().connect()) {
      lab.run("SET GLOBAL wsrep_load_data_splitting = ON");
      assertThatThrownBy(() -> lab.server().connect().close())
          .hasStackTraceContaining("wsrep_load_data_splitting is ON")
          .hasStackTraceContaining("Run: SET GLOBAL wsrep_load_data_splitting = OFF");
      load(open, IntStream.range(1, LoadSplitting.ROWS));
      assertThatThrownBy(() -> load(open, IntStream.rangeClosed(-LoadSplitting.ROWS, -1)))
          .hasMessageContaining("wsrep_load_data_splitting is ON");
    } finally {
      lab.run("SET GLOBAL wsrep_load_data_splitting = OFF");
    }
  }

  /** Sends numbers straight into the table, in one statement. */
  private static void load(TargetConnection connection, IntStream numbers) throws SQLException {
    TableId parent = new TableId("dst", "parent");
    TargetTable table =
        connection.dialect().catalog().table(connection.jdbc(), parent).orElseThrow();
    LoadDataStream stream =
        LoadDataStream.into(
            connection.jdbc(),
            parent,
            List.of(table.column("id").orElseThrow(), table.column("n").orElseThrow()));
    for (int number : numbers.toArray()) {
      stream.number(number);
      stream.number(number);
      stream.endRow();
    }
    stream.end();
  }

  private static List<String> settings(TargetConnection connection) throws SQLException {
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT CONNECTION_ID(), @@innodb_lock_wait_timeout, @@lock_wait_timeout,"
                    + " @@max_statement_time, @@idle_transaction_timeout,"
                    + " @@idle_write_transaction_timeout, @@sql_mode,"
                    + " @@foreign_key_checks, @@tx_isolation, @@time_zone, @@collation_connection,"
                    + " @@autocommit")) {
      row.next();
      List<String> settings = new ArrayList<>();
      for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
        settings.add(row.getString(i));
      }
      return settings;
    }
  }
}
