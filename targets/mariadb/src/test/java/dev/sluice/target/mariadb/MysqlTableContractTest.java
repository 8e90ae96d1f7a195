package dev.sluice.target.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.target.LoadContractLab;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.TableContractTest;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.load.target.TargetSequences.Owner;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract on MySQL, which has counters of columns and no sequences. */
@NeedsMysql
class MysqlTableContractTest extends TableContractTest {
  private static final TableId TICKET = new TableId("dst", "ticket");
  private static final TableId NUMBERS = new TableId("dst", "numbers");

  @Override
  protected LoadContractLab lab() {
    return MariadbLoadLab.open(ServerKind.MYSQL);
  }

  @Override
  @Test
  protected void aSequenceStandsAheadAndIsNeverSetBackUnlessNobodyUsesIt() throws SQLException {
    advance(40);
    assertThat(next()).isEqualTo(41);
    advance(7);
    assertThat(next()).isEqualTo(42);
  }

  @Override
  @Test
  protected void aSequenceIsFoundByItsColumnOrElseByItsName() throws SQLException {
    try (TargetConnection connection = lab().target().connect()) {
      TargetSequences sequences = LoadDialects.of(connection.dialect()).sequences();
      assertThat(sequences.find(connection, Optional.of(new Owner(TICKET, "n")), NUMBERS))
          .map(TargetSequence::settable)
          .contains(true);
      assertThat(sequences.find(connection, Optional.empty(), NUMBERS)).isEmpty();
      // A table with a counter stands for a sequence of its name.
      assertThat(sequences.find(connection, Optional.empty(), TICKET))
          .map(TargetSequence::settable)
          .contains(true);
      assertThat(sequences.fixOfMissing(state(7), NUMBERS)).contains("MySQL has no sequences", "8");
    }
  }

  /** A counter only goes up: from where the sequence stands it would meet what that has given. */
  @Test
  void aCounterBeginsAboveAllNumbersOfAFallingSequence() throws SQLException {
    advance(state(100, new SequenceState.Form(-1, 1, 1000, 1, false)));
    assertThat(next()).isEqualTo(1001);
  }

  private void advance(long value) throws SQLException {
    advance(state(value));
  }

  private void advance(SequenceState state) throws SQLException {
    try (TargetConnection connection = lab().target().connect()) {
      TargetSequences sequences = LoadDialects.of(connection.dialect()).sequences();
      TargetSequence counter =
          sequences.find(connection, Optional.of(new Owner(TICKET, "n")), NUMBERS).orElseThrow();
      sequences.advance(connection, counter, state, Optional.empty());
      connection.jdbc().commit();
    }
  }

  private static long next() throws SQLException {
    try (Connection session = MariadbLab.embedded(ServerKind.MYSQL).connect();
        Statement statement = session.createStatement()) {
      statement.execute("INSERT INTO dst.ticket VALUES (NULL)");
      try (ResultSet row = statement.executeQuery("SELECT LAST_INSERT_ID()")) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private static SequenceState state(long value) {
    return state(value, new SequenceState.Form(1, 1, Long.MAX_VALUE, 1, false));
  }

  private static SequenceState state(long value, SequenceState.Form form) {
    return new SequenceState(NUMBERS, Optional.empty(), value, true, form);
  }
}
