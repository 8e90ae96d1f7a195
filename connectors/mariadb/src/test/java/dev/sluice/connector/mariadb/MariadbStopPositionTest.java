package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class MariadbStopPositionTest {
  private final MariadbSources sources = new MariadbSources();

  @Test
  void theTransactionThatEndsThereIsIncludedWhateverItsMark() {
    Position stop = sources.stopPosition("binlog.000042:4711").orElseThrow();
    BinlogPosition place = new BinlogPosition(42, 4711);
    for (int second = 0; second < 100; second++) {
      assertThat(stop).isGreaterThanOrEqualTo(place.position(new LogHistory("binlog", second, "")));
    }
    assertThat(stop).isLessThan(place.ofSnapshot()).isLessThan(place.last());
  }

  /** So a task sets one, and its lanes see that the log goes on. */
  @Test
  void aFenceAtTheEndOfALogThatRestsIsBehindIt() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (SourceDatabase database = new SourceDatabase("CREATE TABLE t (id int PRIMARY KEY)");
        Statement statement = database.connection.createStatement();
        ResultSet end = statement.executeQuery("SHOW MASTER STATUS")) {
      end.next();
      Position stop = sources.stopPosition(end.getString(1) + ":" + end.getLong(2)).orElseThrow();
      MariadbSource source = database.source();
      assertThat(source.log().current()).isGreaterThan(stop);
      assertThat(source.log().emitFence()).isGreaterThan(stop);
    }
  }
}
