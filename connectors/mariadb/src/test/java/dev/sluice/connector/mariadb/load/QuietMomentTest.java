package dev.sluice.connector.mariadb.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.OnMysql;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.Relay;
import java.sql.Connection;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a quiet moment of MySQL is proven, and what is left behind if it is not. */
@OnMysql
class QuietMomentTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private static final String OPEN =
      "SELECT count(*) FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = ?";

  @ParameterizedTest
  @CsvSource({
    "9.7.4, MySQL Community Server - GPL, ON, true",
    "9.7.4, MySQL Community Server - GPL, ON_PERMISSIVE, false",
    "9.7.4, MySQL Community Server - GPL, OFF, false",
    "8.4.6, MySQL Community Server - GPL, ON, false",
    "9.7.0-1, Percona Server (GPL), ON, false"
  })
  void onlyTheGtidsOfATriedReleaseAreAProof(
      String version, String comment, String mode, boolean proof) {
    assertThat(
            QuietMoment.isProof(
                Map.of("version", version, "version_comment", comment, "gtid_mode", mode)))
        .isEqualTo(proof);
  }

  @Test
  void theGtidsOfAuroraAreNoProof() {
    assertThat(
            QuietMoment.isProof(
                Map.of("version", "9.7.4", "aurora_version", "4.0", "gtid_mode", "ON")))
        .isFalse();
  }

  @Test
  void noSnapshotIsLeftOpenWhereNoMomentWasQuiet() throws Exception {
    try (SourceDatabase database = new SourceDatabase("CREATE TABLE t (id SERIAL PRIMARY KEY)");
        Connection asking = database.sessions().open();
        Connection session = database.sessions().open()) {
      MariadbQuery query = new MariadbQuery(asking);
      String number = new MariadbQuery(session).row("SELECT connection_id()").orElseThrow()[0];
      SnapshotOpening.begin(session);
      awaitOpen(query, number, "1");
      assertThat(QuietMoment.begin(query, writtenBeside(session, database))).isEmpty();
      awaitOpen(query, number, "0");
    }
  }

  /** The server answers such a question with what it knew up to 0.1 s before. */
  private static void awaitOpen(MariadbQuery query, String number, String expected) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(query.row(OPEN, number).orElseThrow()[0]).isEqualTo(expected));
  }

  /** Whoever takes the session out of the list finds a row more in the database. */
  private static List<Connection> writtenBeside(Connection session, SourceDatabase database) {
    return new AbstractList<>() {
      @Override
      public Connection get(int index) {
        database.execute("INSERT INTO t VALUES (NULL)");
        return session;
      }

      @Override
      public int size() {
        return 1;
      }
    };
  }

  @Test
  void aProofIsOfTheServerWhoseRowsTheSnapshotsShow() throws Exception {
    try (EmbeddedServer other = Servers.start();
        SourceDatabase database = new SourceDatabase("CREATE TABLE t (id SERIAL PRIMARY KEY)");
        Relay address = new Relay(SourceDatabase.server().port())) {
      MariadbServer server =
          new MariadbServer(
              new Endpoint(
                  Servers.type(),
                  "127.0.0.1",
                  address.port(),
                  database.name,
                  "root",
                  Secret.NONE,
                  Map.of()),
              "test");
      // Over the session that is kept for questions.
      BinlogPosition asked = server.ask(LogServer::end).orElseThrow();
      assertThat(asked.file()).isPositive();
      try (Connection before = server.open()) {
        address.moveTo(other.port());
        other.createDatabase(database.name);
        assertThatThrownBy(() -> AlikeSnapshots.begin(server, List.of(before)))
            .isInstanceOf(SluiceException.Retryable.class)
            .hasMessageContaining("another server");
        assertThatThrownBy(() -> AlikeSnapshots.beginLocked(server, List.of(before)))
            .isInstanceOf(SluiceException.Retryable.class)
            .hasMessageContaining("another server");
        try (Connection behind = server.open()) {
          assertThat(AlikeSnapshots.begin(server, List.of(behind)))
              .isEqualTo(LogServer.end(new MariadbQuery(behind)).orElseThrow());
        }
      }
    }
  }
}
