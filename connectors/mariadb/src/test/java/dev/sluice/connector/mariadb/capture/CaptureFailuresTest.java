package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureFailuresTest {
  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY)";

  @BeforeAll
  static void requireBinaries() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void aCaptureFailsWithAKilledServerAndTheNextOneGoesOnWithoutALossOrARepeat(
      @TempDir Path directory) throws Exception {
    try (EmbeddedServer server = Servers.builder().directory(directory).fsync().start();
        LogFixture fixture = new LogFixture(server, TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO t VALUES (1)");
      List<Transaction> read = new ArrayList<>(reader.read(1));
      fixture.execute("INSERT INTO t VALUES (2)");
      server.kill();
      assertThat(fixture.failure()).isInstanceOf(SluiceException.Retryable.class);
      fixture.capture().close();
      server.restart();
      fixture.reconnect().from(read.get(0).position()).capturing();
      fixture.execute("INSERT INTO t VALUES (3)");
      while (read.size() < 3) {
        read.addAll(reader.read(1));
      }
      assertThat(read)
          .flatExtracting(MariadbCaptureTest::texts)
          .containsExactly("+(1)", "+(2)", "+(3)");
    }
  }

  @Test
  void capturesOfTheSameTaskNameDoNotEndEachOther() {
    try (LogFixture fixture = new LogFixture(TABLE);
        JournalReader reader = fixture.reader();
        MariadbCapture first = fixture.capture(Duration.ofMillis(50))) {
      fixture.execute("INSERT INTO t VALUES (1)");
      Position start = reader.read(1).get(0).position();
      try (MariadbCapture second = fixture.from(start).capture(Duration.ofMinutes(10))) {
        fixture.execute("INSERT INTO t VALUES (2)");
        assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(2)");
        fixture.execute("CREATE TABLE other (id INT)");
        for (MariadbCapture each : List.of(first, second)) {
          fixture.awaitRead(each);
          assertThat(each.failure()).isEmpty();
        }
      }
    }
  }

  @Test
  void aPurgedFileStopsTheCaptureWithTheFix() {
    try (EmbeddedServer server = Servers.start();
        LogFixture fixture = new LogFixture(server, TABLE)) {
      fixture.execute("FLUSH BINARY LOGS");
      // The server keeps a file until the engine has written down what is in it.
      await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () -> {
                fixture.execute("PURGE BINARY LOGS TO '" + fixture.end().fileName("binlog") + "'");
                return !fixture.value("SHOW BINARY LOGS").equals("binlog.000001");
              });
      fixture.capturing();
      assertThat(fixture.failure())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("the server cannot send it")
          .hasMessageContaining("binlog_expire_logs_seconds");
    }
  }

  @Test
  void aUserWithoutTheRightStopsTheCaptureWithTheFix() {
    try (LogFixture fixture =
        new LogFixture(TABLE, "CREATE USER IF NOT EXISTS nobody").as("nobody").capturing()) {
      assertThat(fixture.failure())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("GRANT REPLICATION SLAVE");
    }
  }

  @Test
  void theLogIsReadThroughTlsIfTheUrlSaysSo() {
    try (EmbeddedServer server =
            Servers.builder().setting(Servers.sql("ssl", "auto-generate-certs"), "ON").start();
        LogFixture fixture =
            new LogFixture(
                    server,
                    TABLE,
                    "CREATE USER careful REQUIRE SSL",
                    "GRANT REPLICATION SLAVE ON *.* TO careful")
                .as("careful")) {
      MariadbCapture plain = fixture.capture(server.port(), Map.of(), Duration.ofMinutes(10));
      await().atMost(Duration.ofMinutes(2)).until(() -> plain.failure().isPresent());
      plain.close();
      try (MariadbCapture encrypted =
              fixture.capture(server.port(), Map.of("sslMode", "trust"), Duration.ofMinutes(10));
          JournalReader reader = fixture.reader()) {
        fixture.execute("INSERT INTO t VALUES (1)");
        assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(1)");
        assertThat(encrypted.failure()).isEmpty();
      }
    }
  }
}
