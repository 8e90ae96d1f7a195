package dev.sluice.connector.mariadb.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.OpenTransaction;
import dev.sluice.connector.api.source.SourceLog;
import dev.sluice.connector.mariadb.MariadbSource;
import dev.sluice.connector.mariadb.capture.LogFixture;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.Relay;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a task asks again and again, of a server on a machine that is far east of UTC. */
class MariadbLogTest {
  @Test
  void aTransactionBeganWhenItBeganWhateverTheTimeZoneOfTheServersMachine() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (EmbeddedMariadb server = EmbeddedMariadb.builder().timeZone("Asia/Tokyo").start();
        Connection application = server.connect();
        Statement statement = application.createStatement()) {
      statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
      Instant before = Instant.now().minus(Duration.ofMinutes(30));
      application.setAutoCommit(false);
      statement.execute("INSERT INTO t VALUES (1)");
      List<OpenTransaction> open = source(server).log().openTransactions();
      assertThat(open).hasSize(1);
      Instant began = open.get(0).since().orElseThrow();
      assertThat(began).isBetween(before, Instant.now().plus(Duration.ofMinutes(30)));
    }
  }

  @Test
  void questionsOfEachSecondNeedOneLoginAndSurviveTheEndOfTheirSession() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (EmbeddedMariadb server = EmbeddedMariadb.start();
        Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      MariadbSource source = source(server);
      long before = logins(statement);
      for (int i = 0; i < 10; i++) {
        source.retention().reading();
        source.log().clock();
        source.log().current();
        source.log().emitFence();
      }
      assertThat(logins(statement) - before).isEqualTo(1);
      for (int i = 0; i < 2; i++) {
        try (ResultSet row =
            statement.executeQuery(
                "SELECT max(id) FROM information_schema.processlist WHERE id <> connection_id()")) {
          row.next();
          statement.execute("KILL " + row.getLong(1));
        }
        source.log().clock();
      }
      assertThat(logins(statement) - before).isEqualTo(3);
    }
  }

  /** Its log may end before what the capture has read of the other one. */
  @Test
  void aServerThatTookTheAddressOfTheCapturedOneIsNotAskedForAFence() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (EmbeddedMariadb captured = EmbeddedMariadb.start();
        EmbeddedMariadb other = EmbeddedMariadb.start();
        Relay address = new Relay(captured.port());
        LogFixture capture = new LogFixture(captured).capturing()) {
      SourceLog log =
          new MariadbLog(new MariadbServer(endpoint(address.port()), "log"), capture.memory());
      assertThat(log.emitFence()).isGreaterThan(Position.ZERO);

      address.moveTo(other.port());
      try (Connection connection = captured.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("KILL USER root");
      } catch (SQLException e) {
        // It has killed itself as well.
      }
      List<ThrowingCallable> questions =
          List.of(log::emitFence, log::current, log::openTransactions, log::takeTransactionId);
      assertThat(questions)
          .allSatisfy(
              question ->
                  assertThatThrownBy(question)
                      .isInstanceOf(SluiceException.Retryable.class)
                      .hasMessageContaining("whose binary log the capture reads"));

      // The next start asks the server that is there now, and proves its history.
      capture.capture().close();
      assertThat(log.current()).isGreaterThan(Position.ZERO);
    }
  }

  private static long logins(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Connections'")) {
      row.next();
      return row.getLong(2);
    }
  }

  private static MariadbSource source(EmbeddedMariadb server) {
    return new MariadbSource("log", new MariadbConfig(endpoint(server.port())));
  }

  private static Endpoint endpoint(int port) {
    return new Endpoint(
        MariadbConfig.TYPE, "127.0.0.1", port, "test", "root", Secret.NONE, Map.of());
  }
}
