package dev.sluice.connector.mariadb.capture;

import static dev.sluice.connector.mariadb.capture.SuccessionTest.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.OnMysql;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.GtidSet;
import dev.sluice.connector.mariadb.capture.position.GtidSetBookmark;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import dev.sluice.connector.mariadb.capture.position.MysqlGtid;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.mariadb.MysqlReplica;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The same with MySQL, whose transactions are a set and may be in another order on a replica. */
@OnMysql
class MysqlSuccessionTest {
  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY)";
  private static final String A = "aaaaaaaa-0000-0000-0000-000000000001";
  private static final String B = "bbbbbbbb-0000-0000-0000-000000000002";

  private static final String RECEIVED =
      "SELECT GTID_SUBSET('%s', received_transaction_set) AS received FROM performance_schema.replication_connection_status";

  /** Microseconds since 1970 of transaction 0. */
  private static final long TIME = 1_700_000_000_000_000L;

  /**
   * Its log is written as that of a replica: transactions have the names that a test gives them.
   */
  private static EmbeddedMysql written;

  @BeforeAll
  static void start() throws SQLException {
    written = MysqlReplica.settings(1).start();
    run(written, "CREATE DATABASE w", "CREATE TABLE w.t (id INT AUTO_INCREMENT PRIMARY KEY)");
  }

  @AfterAll
  static void close() {
    if (written != null) {
      written.close();
    }
  }

  @BeforeEach
  void beginLog() throws SQLException {
    run(written, "RESET BINARY LOGS AND GTIDS");
  }

  @Test
  void aReplicaTakesOverAndTheJournalGetsEachTransactionOnce() throws SQLException {
    try (EmbeddedMysql primary = EmbeddedMysql.start();
        MysqlReplica replica = MysqlReplica.of(primary, 2);
        LogFixture task = new LogFixture(primary, TABLE).capturing();
        JournalReader journal = task.reader()) {
      task.execute("INSERT INTO t VALUES (1)", "FLUSH BINARY LOGS", "INSERT INTO t VALUES (2)");
      task.execute("SET SESSION gtid_next = 'AUTOMATIC:shop'", "INSERT INTO t VALUES (9)");
      task.execute("SET SESSION gtid_next = 'AUTOMATIC'", "TRUNCATE TABLE t");
      List<JournalReader.Transaction> read = journal.read(4);
      task.capture().close();
      assertThat(bookmark(read.get(3)).all().toString())
          .isEqualTo(GtidSet.parse(task.value("SELECT @@global.gtid_executed")).toString());
      task.execute("INSERT INTO t VALUES (3)");
      replica.awaitCaughtUp();
      run(replica.server(), "FLUSH BINARY LOGS");
      task.execute("INSERT INTO t VALUES (4)");
      replica.awaitCaughtUp();
      replica.promote();
      run(replica.server(), "INSERT INTO %s.t VALUES (5)".formatted(task.database));

      assertThat(read.stream().map(each -> SuccessionTest.place(replica.server(), bookmark(each))))
          .isSorted()
          .doesNotHaveDuplicates();
      Position start = task.startOn(replica.server(), read.get(3), 1);
      assertThat(start).isGreaterThan(read.get(3).position());
      task.capturing();
      List<JournalReader.Transaction> later = journal.read(3);
      assertThat(later).extracting(SuccessionTest::id).containsExactly("3", "4", "5");
      assertThat(later)
          .extracting(each -> BinlogPosition.of(each.position()).timeline())
          .containsOnly(1);
      assertThat(bookmark(later.get(2)).all().toString())
          .isEqualTo(GtidSet.parse(task.value("SELECT @@global.gtid_executed")).toString());
    }
  }

  @Test
  void aReplicaThatStillAppliesWhatTheTaskHasIsWaitedFor() throws SQLException {
    try (EmbeddedMysql primary = EmbeddedMysql.start();
        MysqlReplica replica = MysqlReplica.of(primary, 2);
        LogFixture task = new LogFixture(primary, TABLE).capturing();
        JournalReader journal = task.reader()) {
      replica.awaitCaughtUp();
      try (Connection session = replica.server().connect(task.database);
          Statement statement = session.createStatement()) {
        statement.execute("LOCK TABLES t READ");
        task.execute("INSERT INTO t VALUES (1)");
        JournalReader.Transaction read = journal.read(1).get(0);
        SuccessionTest.awaitReceived(
            replica.server(), RECEIVED.formatted(bookmark(read).last()), "received", "1");
        assertThatThrownBy(() -> SuccessionTest.proof(replica.server()).succession(bookmark(read)))
            .isInstanceOf(SluiceException.Retryable.class)
            .hasMessageContaining("still applies what it received");
        statement.execute("UNLOCK TABLES");
        replica.awaitCaughtUp();
        assertThat(SuccessionTest.place(replica.server(), bookmark(read))).isNotNull();
        run(replica.server(), "STOP REPLICA SQL_THREAD");
        task.execute("INSERT INTO t VALUES (2)");
        JournalReader.Transaction later = journal.read(1).get(0);
        SuccessionTest.awaitReceived(
            replica.server(), RECEIVED.formatted(bookmark(later).last()), "received", "1");
        assertThat(refused(replica.server(), later.bookmark())).contains("it has not executed");
      }
    }
  }

  @Test
  void theJournalTellsTheTransactionsBeforeEachPosition() throws SQLException {
    try (LogFixture task = new LogFixture(written, TABLE);
        JournalReader journal = task.reader()) {
      run(written, "RESET BINARY LOGS AND GTIDS", "SET GLOBAL gtid_purged = '" + B + ":1-40'");
      log("A:3", "A:tag:1");
      run(written, "FLUSH BINARY LOGS");
      log("A:2");
      task.from(task.endPosition()).capturing();
      task.execute(next("A:1"), "INSERT INTO t VALUES (1)", "SET gtid_next = 'AUTOMATIC'");
      JournalReader.Transaction read = journal.read(1).get(0);
      assertThat(bookmark(read).last()).isEqualTo(MysqlGtid.parse(A + ":1"));
      assertThat(bookmark(read).commitMicros()).isEqualTo(TIME + 1);
      assertThat(bookmark(read).all().toString())
          .isEqualTo(GtidSet.parse(task.value("SELECT @@global.gtid_executed")).toString())
          .contains(A + ":1-3:tag:1", B + ":1-40");
      // A fence behind it tells the same.
      task.memory.fences().set(task.end(), Instant.now());
      assertThat(journal.read(1).get(0).bookmark()).isEqualTo(read.bookmark());
      // From here on the set does not tell what was read.
      run(written, "SET GLOBAL gtid_mode = ON_PERMISSIVE");
      try {
        task.execute("SET gtid_next = 'ANONYMOUS'", "INSERT INTO t VALUES (2)");
        task.execute("SET gtid_next = 'AUTOMATIC'", "INSERT INTO t VALUES (3)");
        assertThat(journal.read(2))
            .extracting(JournalReader.Transaction::bookmark)
            .containsOnly("");
        task.capture().close();
        assertThat(refusal("A:1", "A:1-3")).contains("gtid_mode is ON_PERMISSIVE");
      } finally {
        run(written, "SET GLOBAL gtid_mode = ON");
      }
    }
  }

  @Test
  void aTransactionThatWasLostWithTheFormerServerIsNamed() throws SQLException {
    log("A:1", "A:2");
    assertThat(refusal("A:3", "A:1-3")).contains("it has not executed " + A + ":3");
    log("B:1");
    assertThat(refusal("A:3", "A:1-3")).contains("it has not executed " + A + ":3");
    assertThat(refusal("A:4", "A:1-2:4:tag:1")).contains(A + ":4:tag:1");
  }

  @Test
  void aTransactionThatOnlyTheReplicaHasIsNamed() throws SQLException {
    log("A:1", "B:1", "A:2");
    assertThat(refusal("A:2", "A:1-2"))
        .contains("its log has transaction " + B + ":1 before all that the task has");
    run(written, "FLUSH BINARY LOGS");
    log("A:3");
    assertThat(refusal("A:3", "A:1-3")).contains(B + ":1 before");
    Servers.purgeTo(written, "binlog.000002");
    assertThat(refusal("A:3", "A:1-3")).contains("no file with " + B + ":1, which the task lacks");
    // Behind the last one it is followed, as is all that the server does from then on.
    run(written, "RESET BINARY LOGS AND GTIDS");
    log("A:1", "A:2", "B:1");
    assertThat(place("A:2", "A:1-2")).isNotNull();
  }

  @Test
  void aReplicaThatCommittedInAnotherOrderIsFollowedWhereItHadTheSame() throws SQLException {
    log("A:2", "A:1", "A:3", "A:5", "A:4");
    BinlogPosition two = place("A:2", "A:1-2");
    assertThat(place("A:1", "A:1-2")).isEqualTo(two);
    assertThat(place("A:3", "A:1-3")).isGreaterThan(two);
    assertThat(refusal("A:1", "A:1")).contains(A + ":2 before");
    assertThat(refusal("A:4", "A:1-4")).contains(A + ":5 before");
  }

  @Test
  void aServerThatWasMadeOfABackupHasWhatWasPurgedThere() throws SQLException {
    run(written, "SET GLOBAL gtid_purged = '" + A + ":1-5'");
    log("A:6");
    assertThat(place("A:6", "A:1-6")).isNotNull();
    assertThat(refusal("A:5", "A:1-5")).contains("begins after " + A + ":5");
    assertThat(refusal("A:4", "A:1-4")).contains("no file with " + A + ":5");
    run(written, "SET GLOBAL gtid_purged = '+" + B + ":1'");
    assertThat(refusal("A:6", "A:1-6")).contains("no file with " + B + ":1");
  }

  @Test
  void gtidsThatWereGivenAgainAreOtherTransactions() throws SQLException {
    log("A:1", "A:2");
    assertThat(refused(written, A + ":2@4711;" + A + ":1-2"))
        .contains(A + ":2 was committed at another time");
  }

  @Test
  void aLogThatBeginsTooLateIsRefused() throws SQLException {
    log("A:1", "A:2");
    run(written, "FLUSH BINARY LOGS");
    log("A:3");
    assertThat(place("A:2", "A:1-2").file()).isEqualTo(1);
    Servers.purgeTo(written, "binlog.000002");
    assertThat(refusal("A:2", "A:1-2"))
        .contains("its oldest file binlog.000002 begins after " + A + ":2");
    assertThat(place("A:3", "A:1-3").file()).isEqualTo(2);
  }

  @Test
  void anAnonymousTransactionBehindTheLastOneIsRefused() throws SQLException {
    log("A:1");
    run(
        written,
        "SET GLOBAL gtid_mode = ON_PERMISSIVE",
        "SET SESSION gtid_next = 'ANONYMOUS'",
        "INSERT INTO w.t VALUES ()",
        "SET SESSION gtid_next = 'AUTOMATIC'",
        "SET GLOBAL gtid_mode = ON");
    assertThat(refusal("A:1", "A:1"))
        .contains("its log cannot be read after 000002:", "anonymous transaction");
  }

  @Test
  void aServerWhoseLogMayLackTransactionsIsRefusedByItsSettings() throws SQLException {
    log("A:1");
    run(written, "CHANGE REPLICATION FILTER REPLICATE_IGNORE_TABLE = (w.t)");
    try {
      assertThat(refusal("A:1", "A:1")).contains("REPLICATE_IGNORE_TABLE = w.t");
      run(written, "CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'none' FOR CHANNEL 'one'");
      assertThat(refusal("A:1", "A:1")).contains("Replicate_Ignore_Table = w.t");
    } finally {
      run(written, "RESET REPLICA ALL", "CHANGE REPLICATION FILTER REPLICATE_IGNORE_TABLE = ()");
    }
    assertThat(place("A:1", "A:1")).isNotNull();
    run(
        written,
        "INSTALL PLUGIN group_replication SONAME 'group_replication.so'",
        "SET GLOBAL group_replication_group_name = '" + B + "'");
    try {
      assertThat(refusal("A:1", "A:1")).contains("it belongs to a group", B);
    } finally {
      run(written, "UNINSTALL PLUGIN group_replication");
    }
    assertThat(refused(Servers.shared(), bookmark("A:1", "A:1")))
        .contains("performance_schema is OFF");
    try (EmbeddedMysql server =
        EmbeddedMysql.builder().setting("log-replica-updates", "OFF").start()) {
      assertThat(refused(server, bookmark("A:1", "A:1"))).contains("log_replica_updates is OFF");
    }
  }

  /** Writes transactions of these names; each is committed first at the time of its number. */
  private static void log(String... gtids) throws SQLException {
    try (Connection connection = written.connect();
        Statement statement = connection.createStatement()) {
      for (String each : gtids) {
        statement.execute(next(each));
        statement.execute("INSERT INTO w.t VALUES ()");
      }
    }
  }

  private static String next(String gtid) {
    return "SET SESSION original_commit_timestamp = %d, gtid_next = '%s'"
        .formatted(time(gtid), whole(gtid));
  }

  private static long time(String gtid) {
    return TIME + Long.parseLong(gtid.substring(gtid.lastIndexOf(':') + 1));
  }

  private static String whole(String gtids) {
    return gtids.replace("A:", A + ":").replace("B:", B + ":");
  }

  private static String bookmark(String last, String all) {
    return "%s@%d;%s".formatted(whole(last), time(last), whole(all));
  }

  private static GtidSetBookmark bookmark(JournalReader.Transaction transaction) {
    return GtidSetBookmark.parse(transaction.bookmark()).orElseThrow();
  }

  private static BinlogPosition place(String last, String all) {
    return SuccessionTest.place(written, LogBookmark.parse(bookmark(last, all)).orElseThrow());
  }

  private static String refusal(String last, String all) {
    return refused(written, bookmark(last, all));
  }

  private static String refused(EmbeddedServer server, String bookmark) {
    return SuccessionTest.refused(server, LogBookmark.parse(bookmark).orElseThrow());
  }
}
