package dev.sluice.connector.mariadb.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.capture.BinlogPosition;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.mariadb.MariadbReplica;
import dev.sluice.embedded.mariadb.MysqlReplica;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A task starts behind exactly the transactions that a backup has, by their GTIDs. */
class GtidStartTest {
  @Test
  void theStartIsBehindTheLastTransactionOfTheListAndBeforeTheNextOne() throws Exception {
    assumeTrue(
        Servers.areMysql() || EmbeddedMariadb.isAvailable(),
        "the MariaDB binaries are for Linux on x86-64");
    try (EmbeddedServer server = server();
        Connection application = server.connect();
        Statement statement = application.createStatement()) {
      HistoryProof proof = proof(server);
      statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
      statement.execute("INSERT INTO t VALUES (1)");
      String one = gtids(statement);
      BinlogPosition behindOne = end(statement);
      statement.execute("INSERT INTO t VALUES (2)");
      String two = gtids(statement);
      BinlogPosition behindTwo = end(statement);
      statement.execute("FLUSH BINARY LOGS");
      BinlogPosition next = new BinlogPosition(behindTwo.file() + 1, BinlogPosition.FIRST_EVENT);
      assertThat(place(proof, two)).as("at the beginning of a file").isEqualTo(next);
      statement.execute("INSERT INTO t VALUES (3)");
      String three = gtids(statement);
      BinlogPosition behindThree = end(statement);

      assertThat(place(proof, one)).isEqualTo(behindOne);
      assertThat(proof.named(one))
          .as("with the mark of its history")
          .isEqualTo(proof.named("binlog.%06d:%d".formatted(behindOne.file(), behindOne.offset())));
      assertThat(place(proof, two)).isEqualTo(next);
      assertThat(place(proof, three)).isEqualTo(behindThree);
      refused(
          proof,
          later(three),
          Servers.areMysql() ? "it has not executed" : "its log ends without " + later(three));

      purgeTo(file(next), statement);
      assertThat(place(proof, two)).as("what is needed is there").isEqualTo(next);
      refused(
          proof,
          one,
          Servers.areMysql()
              ? "which is not among them"
              : "its log does not go back to the first one",
          "the oldest file of the log, " + file(next) + ", begins behind " + two);
    }
  }

  /** A place in the log has all domains behind it. */
  @Test
  void transactionsOfADomainThatIsNotNamedAreNeitherLostNorRepeated() throws Exception {
    assumeTrue(
        !Servers.areMysql() && EmbeddedMariadb.isAvailable(),
        "domains of MariaDB, whose binaries are for Linux on x86-64");
    try (EmbeddedServer server = server();
        Connection application = server.connect();
        Statement statement = application.createStatement()) {
      HistoryProof proof = proof(server);
      statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
      String zero = gtids(statement);
      BinlogPosition behindZero = end(statement);
      statement.execute("SET gtid_domain_id = 7");
      statement.execute("INSERT INTO t VALUES (1)");
      String both = gtids(statement);
      BinlogPosition behindBoth = end(statement);
      statement.execute("SET gtid_domain_id = 0");
      statement.execute("INSERT INTO t VALUES (2)");
      String last = gtids(statement);

      assertThat(place(proof, zero)).as("all of domain 7 is to come").isEqualTo(behindZero);
      assertThat(place(proof, both)).isEqualTo(behindBoth);
      assertThat(last).contains("7-2-1").contains(",");
      String without = last.replaceAll(",?7-2-1,?", "");
      refused(
          proof,
          without,
          "its log has transaction 7-2-1, which is not among them, and up to there not " + without);
      refused(proof, zero + ",9-2-5", "its log has transaction 7-2-1", "not 9-2-5");
    }
  }

  private static EmbeddedServer server() {
    return (Servers.areMysql() ? MysqlReplica.settings(2) : MariadbReplica.settings(2)).start();
  }

  private static HistoryProof proof(EmbeddedServer server) {
    return new HistoryProof(
        new MariadbServer(
            new Endpoint(
                Servers.type(), "127.0.0.1", server.port(), "test", "root", Secret.NONE, Map.of()),
            "test"));
  }

  private static BinlogPosition place(HistoryProof proof, String gtids) {
    return BinlogPosition.of(proof.named(gtids));
  }

  private static void refused(HistoryProof proof, String gtids, String... texts) {
    assertThatThrownBy(() -> proof.named(gtids))
        .hasMessageContaining("cdc-start-position " + gtids)
        .hasMessageContainingAll(texts);
  }

  /** A list with one more transaction, which was not committed. */
  private static String later(String gtids) {
    int at = gtids.lastIndexOf('-');
    return gtids.substring(0, at + 1) + (Long.parseLong(gtids.substring(at + 1)) + 1);
  }

  /** A file stays as long as the server has not noticed that its last reader is gone. */
  private static void purgeTo(String file, Statement statement) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(5))
        .until(
            () -> {
              statement.execute("PURGE BINARY LOGS TO '" + file + "'");
              try (ResultSet oldest = statement.executeQuery("SHOW BINARY LOGS")) {
                oldest.next();
                return oldest.getString(1).equals(file);
              }
            });
  }

  private static String file(BinlogPosition place) {
    return place.fileName("binlog");
  }

  /** The transactions that a backup has that is made now. */
  private static String gtids(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            Servers.sql("SELECT @@gtid_binlog_pos", "SELECT @@global.gtid_executed"))) {
      row.next();
      return row.getString(1).replaceAll("\\s", "");
    }
  }

  private static BinlogPosition end(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(Servers.sql("SHOW MASTER STATUS", "SHOW BINARY LOG STATUS"))) {
      row.next();
      return BinlogPosition.of(row.getString(1), row.getLong(2));
    }
  }
}
