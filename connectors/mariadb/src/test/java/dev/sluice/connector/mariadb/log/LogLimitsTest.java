package dev.sluice.connector.mariadb.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.connector.mariadb.MariadbSource;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When the server removes log that a task needs. */
class LogLimitsTest {
  private static final BinlogFiles FILES =
      new BinlogFiles(
          List.of(
              new BinlogFiles.Part("binlog.000001", 500),
              new BinlogFiles.Part("binlog.000002", 300),
              new BinlogFiles.Part("binlog.000003", 100)),
          Optional.of(new BinlogPosition(3, 100)));

  @Test
  void theRoomIsWhatIsLeftUntilTheFileOfThePlaceIsRemovedWithAllItHas() {
    LogLimits limits = new LogLimits(0, 0, 1_000);
    assertThat(limits.room(FILES, new BinlogPosition(1, 499))).hasValue(100);
    assertThat(limits.room(FILES, new BinlogPosition(2, 4))).hasValue(600);
    assertThat(new LogLimits(0, 0, 800).room(FILES, new BinlogPosition(1, 4))).hasValue(0);
    assertThat(new LogLimits(0, 0, 0).room(FILES, new BinlogPosition(1, 4))).isEmpty();
  }

  @Test
  void theFileThatIsBeingWrittenIsNotRemovedHoweverLargeItIs() {
    LogLimits limits = new LogLimits(0, 0, 50);
    assertThat(limits.room(FILES, new BinlogPosition(3, 100))).hasValue(50);
    assertThat(limits.room(FILES, new BinlogPosition(3, 4))).hasValue(50);
  }

  @Test
  void theTimeUntilAFileExpiresIsToldFromItsHalfOn() {
    LogLimits limits = new LogLimits(10_000, 3_600, 0);
    assertThat(limits.expiry(10_000 - 1_799)).isEmpty();
    assertThat(limits.expiry(10_000 - 1_800)).contains(Duration.ofSeconds(1_800));
    assertThat(limits.expiry(10_000 - 3_599)).contains(Duration.ofSeconds(1));
    assertThat(limits.expiry(1)).contains(Duration.ZERO);
    assertThat(new LogLimits(10_000, 0, 0).expiry(1)).as("never").isEmpty();
  }

  /** Also the last file of a log is one that a task needs, and it does not expire. */
  @Test
  void aTaskThatIsBehindKnowsTheServersLimits() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (SourceDatabase database = new SourceDatabase("CREATE TABLE t (id int PRIMARY KEY)");
        Statement statement = database.connection.createStatement()) {
      MariadbSource source = database.source();
      source.retention().create(Duration.ofMinutes(5)).close();
      statement.execute("SET GLOBAL binlog_expire_logs_seconds = 1000000000");
      statement.execute("SET GLOBAL max_binlog_total_size = 4000000000");
      try {
        RetentionState last = source.retention().reading().retention().orElseThrow();
        assertThat(last.expiry()).isEmpty();
        statement.execute("FLUSH BINARY LOGS");
        assertThat(source.retention().reading().retention().orElseThrow().expiry())
            .as("it has just been completed")
            .isEmpty();
        statement.execute("SET GLOBAL binlog_expire_logs_seconds = 1");
        statement.execute("DO SLEEP(2.1)");
        RetentionState behind = source.retention().reading().retention().orElseThrow();
        assertThat(behind.lost()).isFalse();
        assertThat(behind.expiry()).as("it goes with the next file").contains(Duration.ZERO);
        assertThat(behind.room().orElseThrow()).isBetween(3_000_000_000L, 4_000_000_000L);
      } finally {
        statement.execute("SET GLOBAL binlog_expire_logs_seconds = 0");
        statement.execute("SET GLOBAL max_binlog_total_size = 0");
      }
    }
  }
}
