package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.MariadbSource;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.log.HistoryProof;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.embedded.FolderTree;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Positions are taken on a real server, and proven on it or on one that looks like it. */
class HistoryTest {
  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY)";
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @BeforeAll
  static void requireBinaries() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void everyPositionOfATaskIsProvenOnItsServerAlsoAfterARestartOnAnotherPort(
      @TempDir Path directory) throws SQLException {
    List<Position> taken = new ArrayList<>();
    String identity;
    try (EmbeddedServer server = Servers.builder().directory(directory).start();
        LogFixture fixture = new LogFixture(server, TABLE);
        JournalReader reader = fixture.reader()) {
      identity = source(server, fixture.database).identity().system();
      taken.add(snapshot(server, fixture.database));
      taken.add(fixture.endPosition());
      MariadbCapture capture = fixture.from(taken.get(0)).capture(Duration.ofMillis(50));
      fixture.execute("INSERT INTO t VALUES (1)");
      taken.add(reader.read(1).get(0).position());
      fixture.execute(
          Servers.sql("SET SESSION gtid_domain_id = 7, server_id = 9", "SET GLOBAL server_id = 9"),
          "INSERT INTO t VALUES (2)");
      taken.add(reader.read(1).get(0).position());
      taken.add(snapshot(server, fixture.database));
      fixture.execute(Servers.sql("SET SESSION gtid_domain_id = 3", "DO 0"), "TRUNCATE t");
      taken.add(reader.read(1).get(0).position());
      fixture.memory.fences().set(fixture.end(), Instant.now());
      taken.add(reader.read(1).get(0).position());
      fixture.execute("FLUSH BINARY LOGS");
      // The end of a new file, where the task journals only how far it has read.
      fixture.awaitAcknowledged(capture);
      taken.add(capture.progress().acknowledged());
      capture.close();
      MariadbCapture idle =
          fixture.from(taken.get(taken.size() - 1)).capture(Duration.ofMillis(50));
      fixture.execute("FLUSH BINARY LOGS");
      fixture.awaitAcknowledged(idle);
      taken.add(idle.progress().acknowledged());
      idle.close();
      for (Position position : taken) {
        assertThatCode(() -> proof(server).require(position)).doesNotThrowAnyException();
      }
    }
    try (EmbeddedServer server = Servers.builder().directory(directory).start()) {
      // MariaDB computes it from the port.
      assertThat(source(server, "test").identity().system().equals(identity))
          .isEqualTo(Servers.areMysql());
      for (Position position : taken) {
        assertThatCode(() -> proof(server).require(position)).doesNotThrowAnyException();
      }
    }
  }

  @Test
  void aLogThatWasResetAndHasTheSameTransactionsAgainIsAnotherHistory() throws SQLException {
    try (EmbeddedServer server = Servers.start();
        Connection session = server.connect()) {
      run(session, TABLE, reset(), "INSERT INTO t VALUES (1)");
      Position taken = snapshot(server, "test");
      String gtid = value(session, gtids());
      awaitNextSecond(session);
      run(session, reset(), "INSERT INTO t VALUES (2)");
      Position again = snapshot(server, "test");
      assertThat(BinlogPosition.of(again)).isEqualTo(BinlogPosition.of(taken));
      assertThat(value(session, gtids())).isEqualTo(gtid);
      assertRefused(
          server, taken, "has another history", "GTID " + shown(gtid), again.low(), taken.low());
      assertThatCode(() -> proof(server).require(again)).doesNotThrowAnyException();
    }
  }

  @Test
  void aServerThatWasRestoredIsAnotherHistoryBehindTheBackup(
      @TempDir Path directory, @TempDir Path backup) throws Exception {
    Position before;
    try (EmbeddedServer server = Servers.builder().directory(directory).start();
        Connection session = server.connect()) {
      run(session, TABLE, "INSERT INTO t VALUES (1)");
      before = snapshot(server, "test");
    }
    Path copy = backup.resolve("data");
    FolderTree.copy(directory, copy);
    Position behind;
    try (EmbeddedServer server = Servers.builder().directory(directory).start();
        Connection session = server.connect()) {
      run(session, "INSERT INTO t VALUES (2)");
      behind = snapshot(server, "test");
      awaitNextSecond(session);
    }
    try (EmbeddedServer server = Servers.builder().directory(copy).start();
        Connection session = server.connect()) {
      run(session, "INSERT INTO t VALUES (3)");
      Position again = snapshot(server, "test");
      assertThat(BinlogPosition.of(again)).isEqualTo(BinlogPosition.of(behind));
      assertRefused(
          server,
          behind,
          "has another history",
          "GTID " + Servers.sql("0-1-", ""),
          again.low(),
          behind.low());
      // What was read before the backup is all in it.
      assertThatCode(() -> proof(server).require(before)).doesNotThrowAnyException();
    }
  }

  @Test
  void anotherTransactionAtTheSamePlaceIsAnotherHistory() throws SQLException {
    try (EmbeddedServer server = Servers.start();
        Connection session = server.connect()) {
      run(session, TABLE, "INSERT INTO t VALUES (1)");
      BinlogPosition place = BinlogPosition.of(snapshot(server, "test"));
      LogHistory found = proof(server).at(place).orElseThrow();
      Position other = place.position(found.after("0-1-4711"));
      assertRefused(
          server, other, "has another history", "GTID " + Servers.sql("0-1-", ""), other.low());
      assertRefused(server, place.position(), "has another history");
      Position within = new BinlogPosition(place.file(), place.offset() - 1).position(found);
      assertRefused(server, within, "nothing of its binary log ends at");
    }
  }

  @Test
  void filesOfAnotherNameAreAnotherHistory(@TempDir Path directory) throws SQLException {
    Position taken;
    try (EmbeddedServer server = Servers.builder().directory(directory).start();
        Connection session = server.connect()) {
      run(session, reset());
      taken = snapshot(server, "test");
    }
    try (EmbeddedServer server =
        Servers.builder().directory(directory).setting("log-bin", "sqllog").start()) {
      assertThat(BinlogPosition.of(snapshot(server, "test"))).isEqualTo(BinlogPosition.of(taken));
      assertRefused(server, taken, "its binary log sqllog has another history");
      LogHistory renamed = proof(server).at(BinlogPosition.of(taken)).orElseThrow();
      assertThat(new LogHistory("binlog", renamed.begun(), renamed.gtid()).mark())
          .as("the name alone")
          .isNotEqualTo(renamed.mark());
    }
  }

  @Test
  void aPositionOfTheTaskFileIsProvenWhenItIsFirstUsed() throws SQLException {
    try (EmbeddedServer server = Servers.start();
        Connection session = server.connect()) {
      run(session, TABLE, "INSERT INTO t VALUES (1)");
      BinlogPosition end = BinlogPosition.of(snapshot(server, "test"));
      MariadbSource source = source(server, "test");
      Position named = source.retention().named("binlog.000001:" + end.offset());
      assertThat(BinlogPosition.of(named)).isEqualTo(end);
      assertThatCode(() -> proof(server).require(named)).doesNotThrowAnyException();
      assertThatThrownBy(() -> source.retention().named("mariadb-bin.000001:" + end.offset()))
          .hasMessageContaining("its files begin with binlog");
      assertThatThrownBy(() -> source.retention().named("binlog.000001:" + (end.offset() - 1)))
          .hasMessageContaining("nothing that ends at binlog.000001:" + (end.offset() - 1));
      assertRefused(server, named("binlog", end.offset()), "has another history");
    }
  }

  private static String reset() {
    return Servers.sql("RESET MASTER", "RESET BINARY LOGS AND GTIDS");
  }

  private static String gtids() {
    return Servers.sql("SELECT @@gtid_binlog_pos", "SELECT @@global.gtid_executed");
  }

  /** As a message has it. */
  private static String shown(String gtid) {
    return Servers.areMysql() ? gtid.replace("-", "") : gtid;
  }

  private static Position named(String base, long offset) {
    return BinlogPosition.ofTaskFile("%s.000001:%d".formatted(base, offset));
  }

  /** Also a start of the capture alone, as after a lost connection. */
  private static void assertRefused(
      EmbeddedServer server, Position position, String why, Object... named) {
    assertThatThrownBy(() -> proof(server).require(position))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(why)
        .hasMessageContaining("sluice resync")
        .hasMessageContaining("sluice stop --drop")
        .satisfies(
            problem -> {
              for (Object each : named) {
                String text =
                    each instanceof Long low
                        ? Long.toHexString(low & 0xFFFF_FFFFL).toUpperCase(Locale.ROOT)
                        : each.toString();
                assertThat(problem.getMessage()).contains(text);
              }
            });
    assertThatThrownBy(
            () ->
                source(server, "test")
                    .startCapture(
                        new CaptureRequest(
                            1,
                            position,
                            Map.of(),
                            JournalTopics.ofTask("none"),
                            DataSize.ofMebibytes(1),
                            LIMIT),
                        CaptureScope.of(new SourceCatalog(List.of()))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(why);
  }

  private static Position snapshot(EmbeddedServer server, String database) {
    try (SourceSnapshot snapshot = source(server, database).retention().create(LIMIT)) {
      return snapshot.position();
    }
  }

  private static MariadbSource source(EmbeddedServer server, String database) {
    return new MariadbSource("history", new MariadbConfig(endpoint(server, database)));
  }

  private static HistoryProof proof(EmbeddedServer server) {
    return new HistoryProof(new MariadbServer(endpoint(server, "test"), "test"));
  }

  private static Endpoint endpoint(EmbeddedServer server, String database) {
    return new Endpoint(
        Servers.type(), "127.0.0.1", server.port(), database, "root", Secret.NONE, Map.of());
  }

  private static void awaitNextSecond(Connection session) throws SQLException {
    String now = value(session, "SELECT UNIX_TIMESTAMP()");
    await().atMost(LIMIT).until(() -> !value(session, "SELECT UNIX_TIMESTAMP()").equals(now));
  }

  private static void run(Connection session, String... statements) throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }

  private static String value(Connection session, String sql) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
