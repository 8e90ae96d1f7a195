package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.succession.AddressWatch;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedReplica;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.mariadb.MariadbReplica;
import dev.sluice.embedded.mariadb.MysqlReplica;
import dev.sluice.embedded.postgres.Relay;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The source's address leads to a new primary, while the former one still answers. */
class AddressWatchTest {
  private Instant now = Instant.parse("2024-03-01T12:00:00Z");

  @BeforeAll
  static void requireBinaries() {
    assumeTrue(
        Servers.areMysql() || EmbeddedMariadb.isAvailable(),
        "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void aFormerPrimaryIsLeftAndWhatItTookMeanwhileIsNamedByTheStartOnTheNewOne() throws Exception {
    try (EmbeddedServer primary = Servers.start();
        EmbeddedReplica replica = replicaOf(primary);
        Relay address = new Relay(primary.port());
        LogFixture task = task(primary);
        JournalReader journal = task.reader()) {
      AddressWatch watch = watch(task, address);
      task.execute("INSERT INTO t VALUES (1)");
      LogBookmark before = bookmark(journal);
      replica.awaitCaughtUp();
      look(watch, 0);
      replica.promote();
      address.moveTo(replica.server().port());
      look(watch, 30);
      write(task, replica, 2);
      look(watch, 30);
      task.execute("INSERT INTO t VALUES (3)");
      LogBookmark stray = bookmark(journal);
      look(watch, 14);
      assertThat(task.memory.server().left()).isEmpty();

      look(watch, 1);
      assertThat(task.failure())
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("answers at its address, and has executed")
          .hasMessageContaining(Servers.sql("has executed 0-2-", "which server "));
      assertThat(SuccessionTest.place(replica.server(), before)).isNotNull();
      assertThat(SuccessionTest.refused(replica.server(), stray)).contains(stray.lastGtid());
    }
  }

  @Test
  void aServerThatTakesNoWritesOfApplicationsIsNoReasonToLeave() throws Exception {
    try (EmbeddedServer primary = Servers.start();
        EmbeddedReplica replica = replicaOf(primary);
        Relay address = new Relay(primary.port());
        LogFixture task = task(primary);
        JournalReader journal = task.reader()) {
      AddressWatch watch = watch(task, address);
      task.execute("INSERT INTO t VALUES (1)");
      bookmark(journal);
      replica.awaitCaughtUp();
      SuccessionTest.run(replica.server(), "SET GLOBAL read_only = ON");
      look(watch, 0);
      address.moveTo(replica.server().port());
      look(watch, 60);
      write(task, replica, 2);
      look(watch, 60);
      write(task, replica, 3);
      look(watch, 60);
      look(watch, 60);
      assertThat(task.memory.server().left()).isEmpty();
    }
  }

  /** Replicas take writes by default, and one address may lead to all servers in turn. */
  @Test
  void aCaptureThatHasReadNothingYetOfAPrimaryThatHasEverythingIsNoReasonToLeave()
      throws Exception {
    try (EmbeddedServer primary = Servers.start();
        EmbeddedReplica replica = replicaOf(primary);
        Relay address = new Relay(primary.port());
        LogFixture task = new LogFixture(primary, "CREATE TABLE t (id INT PRIMARY KEY)")) {
      task.memory.server().begin(LogServer.read(task.connection), 0);
      AddressWatch watch = watch(task, address);
      look(watch, 0);
      address.moveTo(replica.server().port());
      for (int id = 1; id < 5; id++) {
        look(watch, 60);
        task.execute("INSERT INTO t VALUES (" + id + ")");
        replica.awaitCaughtUp();
      }
      assertThat(task.memory.server().left()).isEmpty();
    }
  }

  /** A server may lock a user out after some logins that it refused. */
  @Test
  void anAddressThatRefusesIsAskedSeldom() throws Exception {
    try (EmbeddedServer primary = Servers.start();
        ServerSocket refusing = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        LogFixture task = task(primary)) {
      AtomicInteger logins = new AtomicInteger();
      Thread door = new Thread(() -> refuse(refusing, logins), "refusing");
      door.setDaemon(true);
      door.start();
      AddressWatch watch = watch(task, refusing.getLocalPort());
      look(watch, 0);
      look(watch, 5);
      look(watch, 5);
      assertThat(logins).hasValue(1);
      look(watch, 20);
      assertThat(logins).hasValue(2);
      assertThat(task.memory.server().left()).isEmpty();
    }
  }

  private static void refuse(ServerSocket door, AtomicInteger logins) {
    try {
      while (true) {
        Socket client = door.accept();
        logins.incrementAndGet();
        client.close();
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void look(AddressWatch watch, int later) {
    now = now.plus(Duration.ofSeconds(later));
    watch.look();
  }

  /** The user of tests may write whatever is set. */
  private static void write(LogFixture task, EmbeddedReplica to, int id) throws Exception {
    SuccessionTest.run(to.server(), "INSERT INTO %s.t VALUES (%d)".formatted(task.database, id));
  }

  private static LogBookmark bookmark(JournalReader journal) {
    return LogBookmark.parse(journal.read(1).get(0).bookmark()).orElseThrow();
  }

  private static LogFixture task(EmbeddedServer primary) {
    return new LogFixture(primary, "CREATE TABLE t (id INT PRIMARY KEY)").capturing();
  }

  private static EmbeddedReplica replicaOf(EmbeddedServer primary) throws Exception {
    return EmbeddedReplica.of(
        primary,
        Servers.areMysql() ? MysqlReplica.settings(2).start() : MariadbReplica.settings(2).start());
  }

  private AddressWatch watch(LogFixture task, Relay address) {
    return watch(task, address.port());
  }

  private AddressWatch watch(LogFixture task, int port) {
    return new AddressWatch(
        new MariadbServer(
            new Endpoint(
                Servers.type(), "127.0.0.1", port, task.database, "root", Secret.NONE, Map.of()),
            "address"),
        task.memory().server(),
        () -> now);
  }
}
