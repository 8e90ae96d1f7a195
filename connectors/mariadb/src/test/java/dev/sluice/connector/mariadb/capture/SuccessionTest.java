package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.Gtid;
import dev.sluice.connector.mariadb.capture.position.GtidBookmark;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import dev.sluice.connector.mariadb.capture.succession.Succession;
import dev.sluice.connector.mariadb.log.HistoryProof;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.mariadb.MariadbReplica;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A task that has read one server's log looks for its place in the log of another one. */
class SuccessionTest {
  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY)";

  /**
   * Its log is written as that of a replica: transactions have the names that a test gives them.
   */
  private static EmbeddedMariadb written;

  @BeforeAll
  static void requireBinaries() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    written = EmbeddedMariadb.builder().setting("log-slave-updates", "ON").start();
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
    run(written, "RESET MASTER");
  }

  @Test
  void aReplicaTakesOverAndTheJournalGetsEachTransactionOnce() throws SQLException {
    try (EmbeddedMariadb primary = EmbeddedMariadb.start();
        MariadbReplica replica = MariadbReplica.of(primary, 2);
        LogFixture task = new LogFixture(primary, TABLE).capturing();
        JournalReader journal = task.reader()) {
      task.execute("INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)");
      // Their times are the same on both, whatever the transactions are.
      task.execute("BEGIN", "INSERT INTO t VALUES (9)", "DO SLEEP(1.2)", "COMMIT");
      task.execute("SET SESSION timestamp = 1700000000", "TRUNCATE TABLE t");
      task.execute("SET SESSION timestamp = DEFAULT");
      List<JournalReader.Transaction> read = journal.read(4);
      task.capture().close();
      task.execute("INSERT INTO t VALUES (3)");
      replica.awaitCaughtUp();
      run(replica.server(), "FLUSH BINARY LOGS");
      task.execute("INSERT INTO t VALUES (4)");
      replica.awaitCaughtUp();
      replica.promote();
      run(replica.server(), "INSERT INTO %s.t VALUES (5)".formatted(task.database));

      assertThat(read.stream().map(each -> place(replica.server(), bookmark(each))))
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
      assertThat(bookmark(later.get(2)).all()).extracting(Gtid::server).contains(1L, 2L);
      // The end that the log had on the former server says nothing of what was read of this one.
      task.memory.fences().set(new BinlogPosition(1, 4), Instant.now());
      Position fence = task.memory.fences().set(task.end().on(1), Instant.now());
      Message passed = (Message) journal.read(1).get(0).changes().get(0);
      assertThat(new String(passed.content(), StandardCharsets.US_ASCII))
          .isEqualTo(fence.toString());
    }
  }

  @Test
  void whatAnotherDaemonJournaledOfTheFormerServerMeanwhileIsNotBroughtAgain() throws SQLException {
    try (EmbeddedMariadb primary = EmbeddedMariadb.start();
        MariadbReplica replica = MariadbReplica.of(primary, 2);
        LogFixture task = new LogFixture(primary, TABLE).capturing();
        JournalReader journal = task.reader()) {
      task.execute("INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)");
      List<JournalReader.Transaction> read = journal.read(2);
      task.capture().close();
      replica.awaitCaughtUp();
      replica.promote();

      task.startOn(replica.server(), read.get(0), 1);
      assertThatThrownBy(task::capturing)
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("up to " + read.get(1).position());
    }
  }

  @Test
  void aReplicaThatStillAppliesWhatTheTaskHasIsWaitedFor() throws SQLException {
    try (EmbeddedMariadb primary = EmbeddedMariadb.start();
        MariadbReplica replica = MariadbReplica.of(primary, 2);
        LogFixture task = new LogFixture(primary, TABLE).capturing();
        JournalReader journal = task.reader()) {
      replica.awaitCaughtUp();
      try (Connection session = replica.server().connect(task.database);
          Statement statement = session.createStatement()) {
        statement.execute("LOCK TABLES t READ");
        task.execute("INSERT INTO t VALUES (1)");
        JournalReader.Transaction read = journal.read(1).get(0);
        awaitReceived(
            replica.server(),
            "SHOW ALL SLAVES STATUS",
            "Gtid_IO_Pos",
            bookmark(read).last().toString());
        assertThatThrownBy(() -> proof(replica.server()).succession(bookmark(read)))
            .isInstanceOf(SluiceException.Retryable.class)
            .hasMessageContaining("still applies what it received");
        statement.execute("UNLOCK TABLES");
        replica.awaitCaughtUp();
        assertThat(place(replica.server(), bookmark(read))).isNotNull();
        run(replica.server(), "STOP SLAVE SQL_THREAD");
        task.execute("INSERT INTO t VALUES (2)");
        JournalReader.Transaction later = journal.read(1).get(0);
        awaitReceived(
            replica.server(),
            "SHOW ALL SLAVES STATUS",
            "Gtid_IO_Pos",
            bookmark(later).last().toString());
        assertThat(refused(replica.server(), bookmark(later))).contains("its log ends after");
      }
    }
  }

  @Test
  void theJournalTellsTheTransactionsBeforeEachPosition() throws SQLException {
    try (EmbeddedMariadb server = EmbeddedMariadb.start();
        LogFixture task = new LogFixture(server, TABLE)) {
      run(server, "SET SESSION gtid_domain_id = 3", "CREATE DATABASE other");
      try (Connection session = server.connect(task.database);
          Statement statement = session.createStatement();
          JournalReader journal = task.reader()) {
        statement.execute("SET SESSION gtid_domain_id = 7, server_id = 9, gtid_seq_no = 40");
        statement.execute("CREATE TABLE other (id INT)");
        task.from(task.endPosition()).capturing();
        statement.execute("SET SESSION gtid_domain_id = 0, server_id = 1, timestamp = 1700000000");
        statement.execute("INSERT INTO t VALUES (1)");
        JournalReader.Transaction read = journal.read(1).get(0);
        GtidBookmark bookmark = bookmark(read);
        assertThat(bookmark.seconds()).isEqualTo(1_700_000_000L);
        assertThat(bookmark.last().toString())
            .isEqualTo(bookmark.all().get(0).toString())
            .isEqualTo(task.value("SELECT @@global.gtid_binlog_pos").split(",")[0]);
        assertThat(bookmark.all())
            .extracting(Gtid::toString)
            .containsExactlyInAnyOrder(task.value("SELECT @@global.gtid_binlog_state").split(","));
        // A fence behind it tells the same.
        task.memory.fences().set(task.end(), Instant.now());
        assertThat(journal.read(1).get(0).bookmark()).isEqualTo(read.bookmark());
      }
    }
  }

  @Test
  void aTransactionThatWasLostWithTheFormerServerIsNamed() throws SQLException {
    log("0-1-1", "0-1-2");
    assertThat(refusal("0-1-3@3;0-1-3")).contains("its log ends after 0-1-2", "transaction 0-1-3");
    log("0-2-3");
    assertThat(refusal("0-1-3@3;0-1-3"))
        .contains("its log has transaction 0-2-3 before", "transaction 0-1-3");
  }

  @Test
  void aTransactionThatOnlyTheReplicaHasIsNamed() throws SQLException {
    log("0-1-1", "0-2-2", "0-1-2", "0-1-3");
    assertThat(refusal("0-1-3@3;0-1-3")).contains("its log has transaction 0-2-2 before");
    run(written, "FLUSH BINARY LOGS");
    log("0-1-4");
    assertThat(refusal("0-1-4@4;0-1-4")).contains("0-2-2");
    log("9-2-1");
    // Behind the last one it is followed, as is all that the server does from then on.
    run(written, "RESET MASTER");
    log("0-1-1", "0-1-2", "9-2-1");
    assertThat(place(written, parsed("0-1-2@2;0-1-2"))).isNotNull();
  }

  @Test
  void aTransactionThatAReplicaAppliedWithoutLoggingItIsNamed() throws SQLException {
    log("0-1-1", "0-1-2", "0-1-4");
    assertThat(refusal("0-1-2@2;0-1-2"))
        .contains("has transaction 0-1-4 where the one with number 3 of domain 0 is to come");
    assertThat(place(written, parsed("0-1-4@4;0-1-4"))).isNotNull();
  }

  @Test
  void severalDomainsAreFollowedIfTheReplicaHasAPlaceWithTheSameOfEach() throws SQLException {
    log("0-1-1", "7-1-1", "0-1-2", "7-1-2");
    assertThat(place(written, parsed("7-1-1@1;0-1-1,7-1-1"))).isNotNull();
    assertThat(place(written, parsed("0-1-2@2;0-1-2,7-1-1"))).isNotNull();
    // The replica applied both in another order: no place has exactly these.
    assertThat(refusal("7-1-2@2;0-1-1,7-1-2")).contains("its log has transaction 0-1-2 before");
    assertThat(refusal("0-1-2@2;0-1-2,7-1-1,5-1-1")).contains("5-1-1");
  }

  @Test
  void aServerThatWasMadeOfABackupLacksWhatIsOlder() throws SQLException {
    log("0-1-5", "0-1-6");
    assertThat(place(written, parsed("0-1-6@6;0-1-6,0-4-2"))).isNotNull();
  }

  @Test
  void aQuietDomainOfTheBackupCountsWhereReplicationBeganThere() throws SQLException {
    run(written, "SET GLOBAL gtid_slave_pos = '0-1-4,7-1-2'");
    try {
      log("0-1-5");
      BinlogPosition place = place(written, parsed("0-1-5@5;0-1-5,7-1-2"));
      assertThat(place).isNotNull();
      // Later ones of the domain follow, without a gap.
      log("7-2-3");
      assertThat(place(written, parsed("0-1-5@5;0-1-5,7-1-2"))).isEqualTo(place);
      log("7-2-5");
      assertThat(refusal("0-1-5@5;0-1-5,7-1-2")).contains("7-2-5 where the one with number 4");
      assertThat(refusal("0-1-5@5;0-1-5,7-1-1")).contains("7-2-3 before");
      assertThat(refusal("7-1-2@2;0-1-5,7-1-2")).contains("7-1-2");
      run(written, "SET GLOBAL gtid_slave_pos = ''", "RESET MASTER");
      log("0-1-5", "7-1-2");
      run(written, "SET GLOBAL gtid_slave_pos = '7-1-2'");
      assertThat(place(written, parsed("0-1-5@5;0-1-5,7-1-2"))).isGreaterThan(place);
    } finally {
      run(written, "SET GLOBAL gtid_slave_pos = ''");
    }
  }

  @Test
  void gtidsThatWereGivenAgainAreOtherTransactions() throws SQLException {
    log("0-1-1", "0-1-2", "0-1-3");
    assertThat(refusal("0-1-2@4711;0-1-2"))
        .contains("its transaction 0-1-2 was executed at another time");
  }

  @Test
  void aLogThatBeginsTooLateIsRefused() throws SQLException {
    log("0-1-1", "0-1-2");
    run(written, "FLUSH BINARY LOGS");
    log("0-1-3");
    BinlogPosition before = place(written, parsed("0-1-2@2;0-1-2"));
    assertThat(before.file()).isEqualTo(1);
    Servers.purgeTo(written, "binlog.000002");
    assertThat(refusal("0-1-2@2;0-1-2"))
        .contains("its oldest file binlog.000002 begins after 0-1-2");
    assertThat(place(written, parsed("0-1-3@3;0-1-3")).file()).isEqualTo(2);
  }

  @Test
  void aServerWhoseLogMayLackTransactionsIsRefusedByItsSettings() throws SQLException {
    log("0-1-1");
    run(written, "SET GLOBAL replicate_ignore_table = 'w.t'");
    try {
      assertThat(refusal("0-1-1@1;0-1-1")).contains("replicate_ignore_table = w.t");
    } finally {
      run(written, "SET GLOBAL replicate_ignore_table = ''");
    }
    run(
        written,
        "CHANGE MASTER 'shop' TO MASTER_HOST = '127.0.0.1', MASTER_USER = 'nobody'",
        "SET GLOBAL shop.replicate_wild_ignore_table = 'w.s%'");
    try {
      assertThat(refusal("0-1-1@1;0-1-1")).contains("Replicate_Wild_Ignore_Table = w.s%");
    } finally {
      run(written, "RESET SLAVE 'shop' ALL");
    }
    try (EmbeddedMariadb server = EmbeddedMariadb.start()) {
      assertThat(refused(server, parsed("0-1-1@1;0-1-1"))).contains("log_slave_updates is OFF");
    }
  }

  @Test
  void aTransactionThatStandsTwiceIsRefused() throws SQLException {
    log("0-1-1", "0-1-2", "0-1-2");
    assertThat(refusal("0-1-2@2;0-1-2")).contains("0-1-2");
  }

  /** Writes transactions of these names; each is executed at the second of its number. */
  private static void log(String... gtids) throws SQLException {
    try (Connection connection = written.connect();
        Statement statement = connection.createStatement()) {
      for (String each : gtids) {
        Gtid gtid = Gtid.parse(each);
        statement.execute(
            "SET SESSION gtid_domain_id = %d, server_id = %d, gtid_seq_no = %d, timestamp = %d"
                .formatted(gtid.domain(), gtid.server(), gtid.number(), gtid.number()));
        statement.execute("INSERT INTO w.t VALUES ()");
      }
    }
  }

  /** Waits until a replica has received something, as a column of its status says. */
  static void awaitReceived(EmbeddedServer server, String status, String column, String wanted)
      throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      await()
          .atMost(Duration.ofMinutes(5))
          .until(
              () -> {
                try (ResultSet row = statement.executeQuery(status)) {
                  return row.next() && String.valueOf(row.getString(column)).contains(wanted);
                }
              });
    }
  }

  static String id(JournalReader.Transaction transaction) {
    return ((RowChange) transaction.changes().get(0)).row().toString().replaceAll("[^0-9]", "");
  }

  private static GtidBookmark bookmark(JournalReader.Transaction transaction) {
    return parsed(transaction.bookmark());
  }

  private static GtidBookmark parsed(String bookmark) {
    return GtidBookmark.parse(bookmark).orElseThrow();
  }

  static BinlogPosition place(EmbeddedServer server, LogBookmark bookmark) {
    Succession found = proof(server).succession(bookmark);
    assertThat(found).isInstanceOf(Succession.At.class);
    return ((Succession.At) found).place();
  }

  private static String refusal(String bookmark) {
    return refused(written, parsed(bookmark));
  }

  static String refused(EmbeddedServer server, LogBookmark bookmark) {
    Succession found = proof(server).succession(bookmark);
    assertThat(found).isInstanceOf(Succession.Refused.class);
    return ((Succession.Refused) found).problem().toString();
  }

  static HistoryProof proof(EmbeddedServer server) {
    return new HistoryProof(
        new MariadbServer(
            new Endpoint(
                Servers.type(), "127.0.0.1", server.port(), "test", "root", Secret.NONE, Map.of()),
            "succession"));
  }

  static void run(EmbeddedServer server, String... statements) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }
}
