package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MariadbStartTimeTest {
  @BeforeEach
  void requireServer() {
    assumeTrue(
        Servers.areMysql() || EmbeddedMariadb.isAvailable(),
        "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void aCommitTimeIsFoundInWhicheverFileOfTheLogItIs() throws Exception {
    try (SourceDatabase database = new SourceDatabase("CREATE TABLE t (id int PRIMARY KEY)");
        Statement statement = database.connection.createStatement()) {
      LogRetention retention = database.source().retention();
      statement.execute("INSERT INTO t VALUES (1)");
      BinlogPosition first = end(statement);
      Instant time = nextSecond(statement);
      statement.execute("INSERT INTO t VALUES (2)");
      statement.execute("FLUSH BINARY LOGS");
      statement.execute("INSERT INTO t VALUES (3)");
      BinlogPosition last = end(statement);

      Position found = retention.before(time, database.source().log().emitFence());
      assertThat(BinlogPosition.of(found)).isEqualTo(first);
      assertThat(retention.named("binlog.%06d:%d".formatted(first.file(), first.offset())))
          .as("with the mark of its history")
          .isEqualTo(found);
      Instant later = nextSecond(statement);
      assertThat(BinlogPosition.of(retention.before(later, database.source().log().emitFence())))
          .as("nothing was committed since")
          .isGreaterThanOrEqualTo(last);
    }
  }

  /** MySQL's log has microseconds, MariaDB's has seconds. */
  @Test
  void aTimeWithinASecondDividesItsCommitsOnMysql() throws Exception {
    assumeTrue(Servers.areMysql(), "MariaDB's log has whole seconds");
    try (SourceDatabase database = new SourceDatabase("CREATE TABLE t (id int PRIMARY KEY)");
        Statement statement = database.connection.createStatement()) {
      LogRetention retention = database.source().retention();
      nextSecond(statement);
      statement.execute("INSERT INTO t VALUES (1)");
      statement.execute("FLUSH BINARY LOGS");
      statement.execute("INSERT INTO t VALUES (2)");
      BinlogPosition first = end(statement);
      Instant time = clock(statement);
      statement.execute("INSERT INTO t VALUES (3)");

      Position found = retention.before(time, database.source().log().emitFence());
      assertThat(BinlogPosition.of(found)).isEqualTo(first);
    }
  }

  private static Instant clock(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery("SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)")) {
      row.next();
      return Instant.EPOCH.plus(row.getLong(1), ChronoUnit.MICROS);
    }
  }

  @Test
  void aTimeBeforeTheOldestFileIsRefused() throws Exception {
    try (SourceDatabase database = new SourceDatabase("CREATE TABLE t (id int PRIMARY KEY)")) {
      Instant time = Instant.parse("2020-01-01T00:00:00Z");
      Position fence = database.source().log().emitFence();
      assertThatThrownBy(() -> database.source().retention().before(time, fence))
          .hasMessageContaining("cdc-start-position commit_time:" + time)
          .hasMessageContaining("the oldest file that the binary log still has, binlog.");
    }
  }

  /** Commits have whole seconds: what comes is in this one or later. */
  private static Instant nextSecond(Statement statement) throws SQLException {
    statement.execute("DO SLEEP(1.1)");
    try (ResultSet row = statement.executeQuery("SELECT UNIX_TIMESTAMP()")) {
      row.next();
      return Instant.ofEpochSecond(row.getLong(1));
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
