package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.sink.target.TargetConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class YugabyteSequencesTest {
  private static final TableId TICKET = new TableId("dst", "ticket");

  /** Somebody may have taken a number between the look at it and the setting. */
  @Test
  void aSequenceIsNeverSetBackEvenIfItCycles() throws SQLException {
    YugabyteLab database = YugabyteLab.database();
    try (Connection session = database.connect();
        Statement statement = session.createStatement()) {
      statement.execute("CREATE SCHEMA dst");
      statement.execute("CREATE SEQUENCE dst.ticket CYCLE");
      TargetSequences sequences = LoadDialects.of(YugabyteDialect.INSTANCE).sequences();
      try (TargetConnection connection = database.server().borrow()) {
        TargetSequence found = sequences.find(connection, Optional.empty(), TICKET).orElseThrow();
        for (long value : new long[] {50, 7}) {
          sequences.set(
              connection,
              found,
              new SequenceState(TICKET, Optional.empty(), value, true, found.form()));
        }
        connection.jdbc().commit();
      }
      try (ResultSet row = statement.executeQuery("SELECT nextval('dst.ticket')")) {
        row.next();
        assertThat(row.getLong(1)).isEqualTo(51);
      }
    } finally {
      database.drop();
    }
  }
}
