package dev.sluice.embedded.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.replication.PGReplicationConnection;

class EmbeddedPostgresTest {
  private static final String REPLICATION =
      "&replication=database&preferQueryMode=simple&assumeMinServerVersion=16";

  @Test
  void newestAndOlderVersionRunSideBySide() throws SQLException {
    try (EmbeddedPostgres newest = EmbeddedPostgres.start();
        EmbeddedPostgres older =
            EmbeddedPostgres.builder().version(PostgresVersion.OLDER).start()) {
      assertThat(value(newest, "SHOW server_version")).startsWith("18");
      assertThat(value(older, "SHOW server_version")).startsWith("16");
      assertThat(value(newest, "SHOW wal_level")).isEqualTo("logical");
    }
  }

  @Test
  void serversOfOneTemplateHaveNothingOfEachOtherAndLeaveNothing() throws SQLException {
    Path left;
    try (EmbeddedPostgres first = EmbeddedPostgres.start()) {
      first.createDatabase("mine");
      left = first.directory();
      try (EmbeddedPostgres second = EmbeddedPostgres.start()) {
        assertThat(value(second, "SELECT count(*) FROM pg_database WHERE datname = 'mine'"))
            .isEqualTo("0");
        assertThat(value(second, "SELECT system_identifier FROM pg_control_system()"))
            .isEqualTo(value(first, "SELECT system_identifier FROM pg_control_system()"));
      }
    }
    assertThat(left).doesNotExist();
  }

  @Test
  void aServerOfTheInstalledVersionComesBackAfterACrash(@TempDir Path directory)
      throws SQLException {
    assumeTrue(PostgresVersion.INSTALLED.isAvailable(), "no PostgreSQL is installed here");
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder().version(PostgresVersion.INSTALLED).directory(directory);
    EmbeddedPostgres first = builder.start();
    assertThat(value(first, "SHOW wal_level")).isEqualTo("logical");
    first.crash();
    try (EmbeddedPostgres second = builder.start()) {
      assertThat(value(second, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void dataSurviveACrash(@TempDir Path directory) throws SQLException {
    EmbeddedPostgres first = EmbeddedPostgres.builder().directory(directory).fsync().start();
    try (Connection connection = first.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE kept AS SELECT 7 AS value");
    }
    int port = first.port();
    first.crash();

    try (EmbeddedPostgres second =
        EmbeddedPostgres.builder().directory(directory).port(port).fsync().start()) {
      assertThat(value(second, "SELECT value FROM kept")).isEqualTo("7");
      assertThat(second.port()).isEqualTo(port);
    }
  }

  @Test
  void aServerWhoseReplicationClientConfirmsNothingStartsAgainAsSoonAsItIsClosed(
      @TempDir Path directory) throws SQLException {
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder().directory(directory).setting("wal_sender_timeout", "7s");
    EmbeddedPostgres first = builder.start();
    try (Connection client = DriverManager.getConnection(first.jdbcUrl("postgres") + REPLICATION)) {
      PGReplicationConnection replication = client.unwrap(PGConnection.class).getReplicationAPI();
      replication
          .createReplicationSlot()
          .logical()
          .withSlotName("deaf")
          .withOutputPlugin("pgoutput")
          .make();
      value(first, "SELECT pg_logical_emit_message(false, 'test', repeat('x', 1000000))::text");
      replication
          .replicationStream()
          .logical()
          .withSlotName("deaf")
          .withSlotOption("proto_version", 1)
          .withSlotOption("publication_names", "none")
          .withStatusInterval(1, TimeUnit.HOURS)
          .start();
      first.close();
      try (EmbeddedPostgres second = builder.port(first.port()).start()) {
        assertThat(value(second, "SELECT 1")).isEqualTo("1");
      }
    }
  }

  private static String value(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    }
  }
}
