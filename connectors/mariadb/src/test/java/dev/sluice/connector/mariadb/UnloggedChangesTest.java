package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.mariadb.capture.LogFixture;
import dev.sluice.connector.mariadb.capture.succession.AddressWatch;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedReplica;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.mariadb.MysqlReplica;
import dev.sluice.embedded.mariadb.ServerBuilder;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A source that becomes a replica does not log what it gets. */
class UnloggedChangesTest {
  @BeforeAll
  static void requireBinaries() {
    assumeTrue(
        Servers.areMysql() || EmbeddedMariadb.isAvailable(),
        "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void aServerThatBecameAReplicaWithoutLoggingThatIsReadNoMoreAlsoOnceItsReplicationStops()
      throws Exception {
    try (EmbeddedServer primary = Servers.start();
        EmbeddedServer demoted = second("OFF").start()) {
      MariadbSource source = new MariadbSource("unlogged", new MariadbConfig(endpoint(demoted)));
      assertThat(problems(source)).isEmpty();
      EmbeddedReplica following = following(primary, demoted);
      assertUnlogged(source);
      following.pause();
      assertUnlogged(source);
    }
  }

  @Test
  void aServerThatBecameAReplicaAndLogsWhatItGetsIsReadOn() throws Exception {
    try (EmbeddedServer primary = Servers.start();
        EmbeddedServer demoted = second("ON").start()) {
      following(primary, demoted);
      assertThat(problems(new MariadbSource("logged", new MariadbConfig(endpoint(demoted)))))
          .isEmpty();
    }
  }

  /** The source's address may lead to replicas in turn, while the capture reads its primary. */
  @Test
  void aServerThatIsNotCapturedDoesNotEndTheCaptureOfAnother() throws Exception {
    try (EmbeddedServer primary = Servers.start();
        EmbeddedServer demoted = second("OFF").start();
        LogFixture task = new LogFixture(primary, "CREATE TABLE t (id INT)").capturing()) {
      following(primary, demoted);
      MariadbServer address = new MariadbServer(endpoint(demoted), "address");
      WholeLog log =
          new WholeLog(
              address,
              task.memory().server(),
              new AddressWatch(address, task.memory().server(), new MonotonicClock()));
      assertThatThrownBy(() -> log.leavingOut(TableMappings.EVERYTHING))
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("answers at its address");
    }
  }

  private static void assertUnlogged(MariadbSource source) {
    assertThat(problems(source).toString())
        .contains(
            Servers.sql("log_slave_updates", "log_replica_updates") + " is OFF",
            "its log lacks those changes",
            "Let source.url lead to the new primary");
    assertThatThrownBy(
            () ->
                source.startCapture(
                    new CaptureRequest(
                        1,
                        Position.ZERO,
                        Map.of(),
                        JournalTopics.ofTask("none"),
                        DataSize.ofMebibytes(1),
                        Duration.ofMinutes(5)),
                    CaptureScope.of(new SourceCatalog(List.of()))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("its log lacks those changes");
  }

  private static List<Problem> problems(MariadbSource source) {
    return source.capturedTables().leavingOut(TableMappings.EVERYTHING);
  }

  /** Closed with its server. */
  private static EmbeddedReplica following(EmbeddedServer primary, EmbeddedServer replica)
      throws Exception {
    EmbeddedReplica following = EmbeddedReplica.of(primary, replica);
    try (Connection connection = primary.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE replicated");
    }
    following.awaitCaughtUp();
    return following;
  }

  private static ServerBuilder<? extends EmbeddedServer> second(String logsReplicated) {
    return (Servers.areMysql()
            ? MysqlReplica.settings(2)
            : EmbeddedMariadb.builder().setting("server-id", "2"))
        .setting(Servers.sql("log-slave-updates", "log-replica-updates"), logsReplicated);
  }

  private static Endpoint endpoint(EmbeddedServer server) {
    return new Endpoint(
        Servers.type(), "127.0.0.1", server.port(), "mysql", "root", Secret.NONE, Map.of());
  }
}
