package dev.sluice.connector.mariadb.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.capture.GtidStop;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.search.AppliedPlaces;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.mariadb.MariadbReplica;
import dev.sluice.embedded.mariadb.MysqlReplica;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A task starts behind exactly the transactions that a backup has, by their GTIDs. */
class GtidStartTest {
  private EmbeddedServer server;
  private Connection application;
  private Statement statement;
  private HistoryProof proof;

  /** Each test has a log of its own, and first says which kinds of server it is for. */
  private void start() throws SQLException {
    assumeTrue(
        Servers.areMysql() || EmbeddedMariadb.isAvailable(),
        "the MariaDB binaries are for Linux on x86-64");
    server = (Servers.areMysql() ? MysqlReplica.settings(2) : MariadbReplica.settings(2)).start();
    application = server.connect();
    statement = application.createStatement();
    proof =
        new HistoryProof(
            new MariadbServer(
                new Endpoint(
                    Servers.type(),
                    "127.0.0.1",
                    server.port(),
                    "test",
                    "root",
                    Secret.NONE,
                    Map.of()),
                "test"));
  }

  @AfterEach
  void stop() throws SQLException {
    if (application != null) {
      application.close();
    }
    if (server != null) {
      server.close();
    }
  }

  @Test
  void theStartIsBehindTheLastTransactionOfTheListAndBeforeTheNextOne() throws Exception {
    start();
    statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
    statement.execute("INSERT INTO t VALUES (1)");
    String one = gtids();
    BinlogPosition behindOne = end();
    statement.execute("INSERT INTO t VALUES (2)");
    String two = gtids();
    BinlogPosition behindTwo = end();
    statement.execute("FLUSH BINARY LOGS");
    BinlogPosition next = new BinlogPosition(behindTwo.file() + 1, BinlogPosition.FIRST_EVENT);
    assertThat(place(two)).as("at the beginning of a file").isEqualTo(next);
    statement.execute("INSERT INTO t VALUES (3)");
    String three = gtids();
    BinlogPosition behindThree = end();

    assertThat(place(one)).isEqualTo(behindOne);
    assertThat(proof.named(one))
        .as("with the mark of its history")
        .isEqualTo(proof.named("binlog.%06d:%d".formatted(behindOne.file(), behindOne.offset())));
    assertThat(place(two)).isEqualTo(next);
    assertThat(place(three)).isEqualTo(behindThree);
    refused(
        later(three),
        Servers.areMysql() ? "it has not executed" : "its log ends without " + later(three));

    Servers.purgeTo(server, file(next));
    assertThat(place(two)).as("what is needed is there").isEqualTo(next);
    refused(
        one,
        Servers.areMysql()
            ? "which is not among them"
            : "its log does not go back to the first one",
        "the oldest file of the log, " + file(next) + ", begins after " + two);
  }

  /** A check asks before the start does. */
  @Test
  void thePlaceIsSearchedOnceWhileTheServerHasTheSameThere() throws Exception {
    start();
    statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
    String gtids = gtids();
    BinlogPosition place = end();
    statement.execute("INSERT INTO t VALUES (1)");
    long begin = sessions();
    assertThat(place(gtids)).isEqualTo(place);
    long searched = sessions();
    assertThat(place(gtids)).isEqualTo(place);
    assertThat(sessions() - searched)
        .as("sessions that proved what was found")
        .isPositive()
        .isLessThan(searched - begin);

    statement.execute(Servers.sql("RESET MASTER", "RESET BINARY LOGS AND GTIDS"));
    assertThatThrownBy(() -> proof.named(gtids)).hasMessageContaining(gtids);
  }

  /** Of the server that a task reads, whichever it was before. */
  @Test
  void aStopThatTheJournalMayHaveIsFoundUpToTheStartOfTheCapture() throws Exception {
    start();
    statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
    BinlogPosition begin = end().on(1);
    statement.execute("INSERT INTO t VALUES (1)");
    String one = gtids();
    BinlogPosition behindOne = end().on(1);
    statement.execute("FLUSH BINARY LOGS");
    statement.execute("INSERT INTO t VALUES (2)");
    BinlogPosition end = end().on(1);
    String two = gtids();

    assertThat(stop(one, begin, end).place()).contains(behindOne);
    assertThat(stop(one, behindOne, end).place()).as("the target is there").contains(behindOne);
    assertThat(stop(two, begin, end).place()).contains(end);
    GtidStop toCome = stop(later(two), begin, end);
    assertThat(toCome.place()).isEmpty();
    assertThat(toCome.read()).as("not up to there").isEqualTo(end);
    assertThatThrownBy(() -> stop(one, end, end))
        .hasMessageContaining("cdc-stop-position " + one)
        .hasMessageContaining("all of them end before file " + file(end));
    assertThatThrownBy(() -> stop(two, begin.on(0), end))
        .hasMessageContaining("of a former server");
    statement.execute("INSERT INTO t VALUES (3)");
    BinlogPosition last = end().on(1);
    assertThatThrownBy(() -> stop(two, last, last))
        .hasMessageContaining("the target has all up to " + last);
    GtidStop unused = new GtidStop();
    assertThatThrownBy(
            () -> proof.lookForStop(two, new AppliedPlaces(begin, last), last.position(), unused))
        .as("a lane is behind the stop")
        .hasMessageContaining("and of some tables up to " + last);
    assertThatThrownBy(
            () -> proof.lookForStop(two, new AppliedPlaces(begin, last), begin.position(), unused))
        .as("the capture starts before the lane, as the journal has lost its beginning")
        .hasMessageContaining("and of some tables up to " + last);
  }

  /** A load begins again at a later snapshot, or on another server. */
  @Test
  void aStopThatWasFoundIsLookedForAgainByEachCapture() throws Exception {
    start();
    BinlogPosition begin = end();
    statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
    String one = gtids();
    BinlogPosition behindOne = end();
    statement.execute("INSERT INTO t VALUES (1)");
    BinlogPosition last = end();
    GtidStop stop = new GtidStop();
    proof.lookForStop(one, new AppliedPlaces(begin, begin), last.position(), stop);
    assertThat(stop.place()).contains(behindOne);
    for (int attempt = 1; attempt <= 2; attempt++) {
      assertThatThrownBy(
              () -> proof.lookForStop(one, new AppliedPlaces(last, last), last.position(), stop))
          .as("attempt " + attempt)
          .hasMessageContaining("the target has all up to " + last);
    }
  }

  /** The capture has no need of what is before the target's place. */
  @Test
  void whatCannotBeReadBeforeTheTargetsPlaceIsAProblemOfTheStop(@TempDir Path folder)
      throws Exception {
    assumeFalse(Servers.areMysql(), "MySQL reads no file of its machine");
    Path rows = Files.writeString(folder.resolve("rows"), "1\n");
    assertThat(folder.toFile().setExecutable(true, false)).isTrue();
    start();
    statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
    statement.execute("SET binlog_format = STATEMENT");
    statement.execute("LOAD DATA INFILE '" + rows + "' INTO TABLE t");
    BinlogPosition applied = end();
    statement.execute("SET binlog_format = ROW");
    statement.execute("INSERT INTO t VALUES (2)");
    String two = gtids();
    BinlogPosition end = end();
    assertThatThrownBy(() -> stop(two, applied, end))
        .hasMessageContaining("cdc-stop-position " + two)
        .hasMessageContaining("the stop cannot be looked for")
        .hasMessageContaining("LOAD DATA")
        .hasMessageContaining("Remove cdc-stop-position")
        .hasMessageNotContaining("stop --drop");
  }

  private GtidStop stop(String gtids, BinlogPosition applied, BinlogPosition start) {
    GtidStop stop = new GtidStop();
    proof.lookForStop(gtids, new AppliedPlaces(applied, applied), start.position(), stop);
    return stop;
  }

  private long sessions() throws SQLException {
    try (ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Connections'")) {
      row.next();
      return row.getLong(2);
    }
  }

  /** A place in the log has all domains behind it. */
  @Test
  void transactionsOfADomainThatIsNotNamedAreNeitherLostNorRepeated() throws Exception {
    assumeFalse(Servers.areMysql(), "domains of MariaDB");
    start();
    statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
    String zero = gtids();
    BinlogPosition behindZero = end();
    statement.execute("SET gtid_domain_id = 7");
    statement.execute("INSERT INTO t VALUES (1)");
    String both = gtids();
    BinlogPosition behindBoth = end();
    statement.execute("SET gtid_domain_id = 0");
    statement.execute("INSERT INTO t VALUES (2)");
    String last = gtids();

    assertThat(place(zero)).as("all of domain 7 is to come").isEqualTo(behindZero);
    assertThat(place(both)).isEqualTo(behindBoth);
    assertThat(last).contains("7-2-1").contains(",");
    String without = last.replaceAll(",?7-2-1,?", "");
    refused(
        without,
        "its log has transaction 7-2-1, which is not among them, and up to there not " + without);
    refused(zero + ",9-2-5", "its log has transaction 7-2-1", "not 9-2-5");
  }

  /** Of MySQL with GTIDs that were off for a time: no set says who has these transactions. */
  @Test
  void aTransactionWithoutAGtidBehindTheSetIsNotPassedOver() throws Exception {
    assumeTrue(Servers.areMysql(), "MariaDB names all transactions");
    start();
    statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
    statement.execute("INSERT INTO t VALUES (1)");
    String set = gtids();
    gtidModes("ON_PERMISSIVE", "OFF_PERMISSIVE");
    statement.execute("INSERT INTO t VALUES (2)");
    statement.execute("FLUSH BINARY LOGS");
    statement.execute("INSERT INTO t VALUES (3)");
    refused(set, "gtid_mode is OFF_PERMISSIVE");
    assertThatThrownBy(() -> proof.requireStop(set))
        .hasMessageContaining("cdc-stop-position " + set)
        .hasMessageContaining("gtid_mode is OFF_PERMISSIVE");

    gtidModes("ON_PERMISSIVE", "ON");
    statement.execute("FLUSH BINARY LOGS");
    refused(set, "anonymous transaction");
    statement.execute("INSERT INTO t VALUES (4)");
    refused(set, "anonymous transaction");
    BinlogPosition end = end();
    assertThat(place(gtids())).as("they are before the last one of the set").isEqualTo(end);
  }

  private void gtidModes(String... modes) throws SQLException {
    for (String mode : modes) {
      statement.execute("SET GLOBAL gtid_mode = " + mode);
    }
  }

  /** The order of the log counts, and not that of the numbers. */
  @Test
  void serversOfMysqlMayTakeTurnsInTheLog() throws Exception {
    assumeTrue(Servers.areMysql(), "sets of MySQL");
    String a = "aaaaaaaa-0000-0000-0000-000000000001";
    String b = "bbbbbbbb-0000-0000-0000-000000000002";
    start();
    statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
    String first = gtids();
    insert(1, a + ":1");
    insert(2, b + ":1");
    BinlogPosition behindBoth = end();
    insert(3, a + ":2");
    insert(4, a + ":tag:1");
    BinlogPosition end = end();

    assertThat(place(first + "," + a + ":1," + b + ":1")).isEqualTo(behindBoth);
    assertThatThrownBy(() -> proof.named(first + "," + a + ":1-2"))
        .hasMessageContaining("its log has transaction " + b + ":1");
    assertThat(place(first + "," + a + ":1-2:tag:1," + b + ":1")).isEqualTo(end);
  }

  private void insert(int id, String gtid) throws SQLException {
    statement.execute("SET gtid_next = '" + gtid + "'");
    statement.execute("INSERT INTO t VALUES (" + id + ")");
    statement.execute("SET gtid_next = 'AUTOMATIC'");
  }

  /** A search reads no rows, so whose changes stand elsewhere does not matter. */
  @Test
  void aTransactionOfXaThatWasPreparedInAnEarlierFileIsNoObstacle() throws Exception {
    start();
    try (Connection other = server.connect();
        Statement prepared = other.createStatement()) {
      statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
      for (String step : List.of("START 'x'", "", "END 'x'", "PREPARE 'x'")) {
        prepared.execute(step.isEmpty() ? "INSERT INTO t VALUES (9)" : "XA " + step);
      }
      statement.execute("FLUSH BINARY LOGS");
      prepared.execute("XA COMMIT 'x'");
      statement.execute("INSERT INTO t VALUES (1)");
      String one = gtids();
      BinlogPosition behindOne = end();
      statement.execute("INSERT INTO t VALUES (2)");
      assertThat(place(one)).isEqualTo(behindOne);
    }
  }

  /** With {@code gtid_strict_mode=OFF} servers may write in a domain at the same time. */
  @Test
  void numbersOfADomainThatDoNotRiseProveNothing() throws Exception {
    assumeFalse(Servers.areMysql(), "domains of MariaDB");
    start();
    statement.execute("SET GLOBAL gtid_strict_mode = OFF");
    statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
    as(1, 99);
    statement.execute("INSERT INTO t VALUES (1)");
    as(2, 100);
    statement.execute("INSERT INTO t VALUES (2)");
    as(1, 100);
    statement.execute("INSERT INTO t VALUES (3)");
    as(1, 101);
    statement.execute("INSERT INTO t VALUES (4)");
    refused("0-1-101", "0-1-100", "out of order in domain 0");
    statement.execute("FLUSH BINARY LOGS");
    as(2, 150);
    statement.execute("INSERT INTO t VALUES (5)");
    as(1, 120);
    statement.execute("INSERT INTO t VALUES (6)");
    statement.execute("FLUSH BINARY LOGS");
    refused("0-1-120", "out of order in domain 0");

    as(2, 201);
    statement.execute("INSERT INTO t VALUES (7)");
    statement.execute("FLUSH BINARY LOGS");
    as(1, 180);
    statement.execute("INSERT INTO t VALUES (8)");
    Servers.purgeTo(server, file(end()));
    refused("0-1-180", "0-1-180 after 0-2-201, out of order in domain 0");
  }

  private void as(int id, int number) throws SQLException {
    statement.execute("SET server_id = " + id);
    statement.execute("SET gtid_seq_no = " + number);
  }

  private BinlogPosition place(String gtids) {
    return BinlogPosition.of(proof.named(gtids));
  }

  private void refused(String gtids, String... texts) {
    assertThatThrownBy(() -> proof.named(gtids))
        .hasMessageContaining("cdc-start-position " + gtids)
        .hasMessageContainingAll(texts);
  }

  /** A list with one more transaction, which was not committed. */
  private static String later(String gtids) {
    int at = gtids.lastIndexOf('-');
    return gtids.substring(0, at + 1) + (Long.parseLong(gtids.substring(at + 1)) + 1);
  }

  private static String file(BinlogPosition place) {
    return place.fileName("binlog");
  }

  /** The transactions that a backup has that is made now. */
  private String gtids() throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            Servers.sql("SELECT @@gtid_binlog_pos", "SELECT @@global.gtid_executed"))) {
      row.next();
      return row.getString(1).replaceAll("\\s", "");
    }
  }

  private BinlogPosition end() throws SQLException {
    try (ResultSet row =
        statement.executeQuery(Servers.sql("SHOW MASTER STATUS", "SHOW BINARY LOG STATUS"))) {
      row.next();
      return BinlogPosition.of(row.getString(1), row.getLong(2));
    }
  }
}
