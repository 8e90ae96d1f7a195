package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceLog;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.load.MovedAddress;
import dev.sluice.connector.mariadb.log.MariadbLog;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedReplica;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.mariadb.MariadbReplica;
import dev.sluice.embedded.mariadb.MysqlReplica;
import dev.sluice.embedded.mariadb.ServerBuilder;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The source's address leads to another server while the capture's connection lives. */
class FollowedAddressTest {
  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY)";

  @BeforeAll
  static void requireBinaries() {
    assumeTrue(
        Servers.areMysql() || EmbeddedMariadb.isAvailable(),
        "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void aCaptureIsLeftForTheServerThatTookItsAddressOnceThatOneTakesWrites() throws Exception {
    try (EmbeddedServer primary = Servers.start();
        EmbeddedReplica replica = replica(primary);
        MovedAddress address = new MovedAddress(primary.port());
        LogFixture task = new LogFixture(primary, TABLE).capturing();
        JournalReader journal = task.reader()) {
      SourceLog log = log(address, task);
      task.execute("INSERT INTO t VALUES (1)");
      List<JournalReader.Transaction> read = journal.read(1);
      replica.awaitCaughtUp();
      SuccessionTest.run(replica.server(), "SET GLOBAL read_only = ON");
      address.moveTo(replica.server().port());
      look(log, 6);
      assertThat(task.memory.server().leaving()).as("it is no primary yet").isEmpty();

      replica.promote();
      SuccessionTest.run(replica.server(), "SET GLOBAL read_only = OFF");
      look(log, 2);
      address.moveTo(primary.port());
      look(log, 1);
      address.moveTo(replica.server().port());
      look(log, 2);
      assertThat(task.memory.server().leaving()).as("the address was moved back").isEmpty();
      look(log, 1);
      assertThat(task.failure())
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("has taken the source's address");
      task.capture().close();

      task.startOn(replica.server(), read.get(0), 1);
      task.capturing();
      look(log, 6);
      SuccessionTest.run(replica.server(), "INSERT INTO %s.t VALUES (2)".formatted(task.database));
      assertThat(journal.read(1)).extracting(SuccessionTest::id).containsExactly("2");
      assertThat(task.capture().failure()).isEmpty();
    }
  }

  /** The next start decides by what the journal has: it is to be all that was read. */
  @Test
  void theJournalGetsThePlaceAtWhichACaptureIsLeft() throws Exception {
    try (EmbeddedServer primary = Servers.start();
        EmbeddedServer other = second().start();
        MovedAddress address = new MovedAddress(primary.port());
        LogFixture task =
            new LogFixture(primary, TABLE, "CREATE TABLE other (id INT)").capturing();
        JournalReader journal = task.reader()) {
      task.execute("INSERT INTO t VALUES (1)", "INSERT INTO other VALUES (1)");
      task.awaitRead(task.capture());
      Position end = task.capture().read();
      address.moveTo(other.port());
      look(log(address, task), 3);
      task.failure();
      task.capture().close();
      await()
          .atMost(Duration.ofMinutes(5))
          .until(
              () -> {
                journal.poll(Duration.ofMillis(50));
                return journal.ends().containsKey(end);
              });
    }
  }

  @Test
  void aServerThatBecameAReplicaWithoutLoggingThatIsReadNoMore() throws Exception {
    try (EmbeddedServer primary = Servers.start();
        EmbeddedServer demoted =
            second()
                .setting(Servers.sql("log-slave-updates", "log-replica-updates"), "OFF")
                .start();
        MovedAddress address = new MovedAddress(demoted.port());
        LogFixture task = new LogFixture(demoted, TABLE).capturing()) {
      SourceLog log = log(address, task);
      look(log, 3);
      assertThat(task.memory.server().leaving()).isEmpty();
      // Closed with its server.
      EmbeddedReplica following = EmbeddedReplica.of(primary, demoted);
      await()
          .atMost(Duration.ofMinutes(5))
          .until(
              () -> {
                look(log, 1);
                return task.memory.server().leaving().isPresent();
              });
      assertThat(task.failure())
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("its log lacks what it replicates");
      try (Connection session = demoted.connect()) {
        AddressedServer asked = AddressedServer.read(new MariadbQuery(session));
        assertThatThrownBy(asked::requireLogging).isInstanceOf(SluiceException.Retryable.class);
        following.pause();
        AddressedServer.read(new MariadbQuery(session)).requireLogging();
      }
    }
  }

  private static void look(SourceLog log, int times) {
    for (int i = 0; i < times; i++) {
      log.followAddress();
    }
  }

  private static EmbeddedReplica replica(EmbeddedServer primary) throws Exception {
    return Servers.areMysql() ? MysqlReplica.of(primary, 2) : MariadbReplica.of(primary, 2);
  }

  private static ServerBuilder<? extends EmbeddedServer> second() {
    return Servers.areMysql()
        ? MysqlReplica.settings(2)
        : EmbeddedMariadb.builder().setting("server-id", "2");
  }

  private static SourceLog log(MovedAddress address, LogFixture task) {
    return new MariadbLog(
        new MariadbServer(
            new Endpoint(
                Servers.type(),
                "127.0.0.1",
                address.port(),
                "mysql",
                "root",
                Secret.NONE,
                Map.of()),
            "address"),
        task.memory());
  }
}
