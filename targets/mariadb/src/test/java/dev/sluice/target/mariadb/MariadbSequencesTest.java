package dev.sluice.target.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences.Owner;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counters and sequences give out what neither the source nor a row has. */
class MariadbSequencesTest {
  private static final TableId TICKET = new TableId("numbered", "ticket");
  private static final TableId NUMBERS = new TableId("numbered", "numbers");
  private static final SequenceState.Form UP =
      new SequenceState.Form(1, 1, Long.MAX_VALUE, 1, false);

  private final MariadbSequences sequences = new MariadbSequences(ServerKind.MARIADB);
  private TargetConnection connection;

  @BeforeEach
  void connect() throws SQLException {
    connection =
        new TargetServer(
                MariadbDialect.INSTANCE,
                new TargetLogin(
                    "jdbc:mariadb://127.0.0.1:" + MariadbLab.embedded().port() + "/test",
                    "root",
                    null,
                    "test",
                    0))
            .connect();
    connection.execute("CREATE OR REPLACE DATABASE numbered");
    connection.execute(
        "CREATE TABLE numbered.ticket (id int AUTO_INCREMENT PRIMARY KEY, n bigint, m bigint, KEY (n))");
    connection.execute("CREATE SEQUENCE numbered.numbers");
  }

  @AfterEach
  void disconnect() {
    connection.close();
  }

  /** The server itself keeps the counter above the keys. */
  @Test
  void aCounterIsSetAboveWhatTheSourceHasGivenOutAndAboveTheLargestKey() throws SQLException {
    connection.execute("INSERT INTO numbered.ticket (id) VALUES (7)");
    connection.execute("UPDATE numbered.ticket SET id = 5000");
    advance(TICKET, "id", 5);
    connection.execute("INSERT INTO numbered.ticket (n) VALUES (1)");
    assertThat(number("SELECT MAX(id) FROM numbered.ticket")).isEqualTo(5001);
    advance(TICKET, "id", 9000);
    advance(TICKET, "id", 100);
    connection.execute("INSERT INTO numbered.ticket (n) VALUES (1)");
    assertThat(number("SELECT MAX(id) FROM numbered.ticket")).isEqualTo(9001);
  }

  @Test
  void aSequenceIsSetAboveItsColumnIfAnIndexTellsTheLargestValue() throws SQLException {
    connection.execute("INSERT INTO numbered.ticket (n, m) VALUES (300, 400)");
    advance(NUMBERS, "m", 100);
    assertThat(number("SELECT NEXTVAL(numbered.numbers)")).isEqualTo(101);
    advance(NUMBERS, "n", 100);
    assertThat(number("SELECT NEXTVAL(numbered.numbers)")).isEqualTo(301);
    advance(NUMBERS, "n", 2);
    assertThat(number("SELECT NEXTVAL(numbered.numbers)")).isEqualTo(302);
  }

  /** Applications write it for "unknown"; there is no number after it. */
  @Test
  void theLargestNumberOfAColumnIsNotTakenForAGivenOneAndHidesNoOther() throws SQLException {
    connection.execute("INSERT INTO numbered.ticket (n) VALUES (9223372036854775807)");
    advance(NUMBERS, "n", 100);
    assertThat(number("SELECT NEXTVAL(numbered.numbers)")).isEqualTo(101);
    connection.execute("INSERT INTO numbered.ticket (n) VALUES (300)");
    advance(NUMBERS, "n", 100);
    assertThat(number("SELECT NEXTVAL(numbered.numbers)")).isEqualTo(301);
  }

  @Test
  void aSequenceThatCyclesBeginsAgainBehindItsLastNumber() throws SQLException {
    cycles(new SequenceState.Form(3, 1, 10, 1, true), 10, 1);
    cycles(new SequenceState.Form(-3, -10, -1, 1, true), -10, -1);
    cycles(new SequenceState.Form(1, 1, Long.MAX_VALUE, 1, true), Long.MAX_VALUE, 1);
  }

  private void cycles(SequenceState.Form form, long last, long first) throws SQLException {
    connection.execute(
        "CREATE OR REPLACE SEQUENCE numbered.numbers INCREMENT %d MINVALUE %d MAXVALUE %d CYCLE"
            .formatted(form.increment(), form.min(), Math.min(form.max(), Long.MAX_VALUE - 1)));
    TargetSequence found = sequences.find(connection, Optional.empty(), NUMBERS).orElseThrow();
    SequenceState ended = new SequenceState(NUMBERS, Optional.empty(), last, true, form);
    sequences.advance(connection, found, ended, Optional.empty());
    assertThat(number("SELECT NEXTVAL(numbered.numbers)")).as("advanced").isEqualTo(first);
    sequences.set(connection, found, ended);
    assertThat(number("SELECT NEXTVAL(numbered.numbers)")).as("set").isEqualTo(first);
    connection.jdbc().commit();
  }

  private void advance(TableId name, String column, long last) throws SQLException {
    Owner user = new Owner(TICKET, column);
    TargetSequence found = sequences.find(connection, Optional.of(user), name).orElseThrow();
    sequences.advance(
        connection,
        found,
        new SequenceState(name, Optional.empty(), last, true, UP),
        Optional.of(user));
    connection.jdbc().commit();
  }

  private long number(String query) throws SQLException {
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }
}
