package dev.sluice.target.db2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.RowGuard;
import dev.sluice.load.target.LoadContractLab;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.load.target.TableContractTest;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.load.target.TargetSequences.Owner;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.db2.catalog.Db2Counter;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class Db2TableContractTest extends TableContractTest {
  private static final TableId TICKET = new TableId("dst", "ticket");
  private static final TableId NUMBERS = new TableId("dst", "numbers");

  private static final SequenceState.Form RISES = new SequenceState.Form(1, 1, 1000, 1, false);

  @Override
  protected LoadContractLab lab() {
    return Db2LoadLab.open();
  }

  @Test
  void aCounterBeginsAboveTheValuesOfItsColumnAndStaysWhereItIsFurther() throws SQLException {
    run("INSERT INTO dst.ticket VALUES (500)");
    assertThat(advanced(state(7, RISES))).isEqualTo(501);
    run("ALTER TABLE dst.ticket ALTER COLUMN n RESTART WITH 900");
    assertThat(advanced(state(7, RISES))).isEqualTo(900);
  }

  /** Behind it the counter would give none. */
  @Test
  void theLargestNumberOfTheTypeIsNoValueThatACounterGoesOnFrom() throws SQLException {
    run("INSERT INTO dst.ticket VALUES (2147483647)");
    assertThat(advanced(state(7, RISES))).isEqualTo(8);
  }

  @Test
  void aCounterThatOthersMoveWhileItsTableIsWaitedForDoesNotGoBack() throws Exception {
    run("INSERT INTO dst.ticket VALUES (0)");
    try (Connection others = Db2Lab.admin()) {
      others.setAutoCommit(false);
      Db2Lab.run(others, "UPDATE dst.ticket SET n = 0");
      CompletableFuture<Void> set = CompletableFuture.runAsync(this::setTicketTo8);
      while (!isTicketWaitedFor() && !set.isDone()) {
        Thread.sleep(10);
      }
      for (int i = 0; i < 10; i++) {
        Db2Lab.run(others, "INSERT INTO dst.ticket (n) VALUES (DEFAULT)");
      }
      others.commit();
      set.get();
    }
    assertThat(lab().next(TICKET)).isEqualTo(11);
  }

  private void setTicketTo8() {
    try (TargetConnection connection = lab().target().connect()) {
      sequences().advance(connection, ticket(connection), state(7, RISES), Optional.empty());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isTicketWaitedFor() throws SQLException {
    try (Connection session = Db2Lab.admin();
        Statement statement = session.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT 1 FROM SYSCS_DIAG.LOCK_TABLE AS L WHERE L.STATE = 'WAIT' AND L.TYPE = 'TABLE'"
                    + " AND L.TABLENAME = 'ticket'")) {
      return row.next();
    }
  }

  /** It may end before its column's type does. */
  @Test
  void theLastNumberOfACounterIsNoValueThatItGoesOnFrom() throws SQLException {
    SequenceState.Form falls = new SequenceState.Form(-1, -5, -1, 1, false);
    run("INSERT INTO dst.ticket VALUES (-4), (999)");
    assertThat(furthest(RISES)).hasValue(BigInteger.valueOf(999));
    assertThat(furthest(falls)).hasValue(BigInteger.valueOf(-4));
    run("INSERT INTO dst.ticket VALUES (-5), (1000)");
    assertThat(furthest(RISES)).isEmpty();
    assertThat(furthest(falls)).isEmpty();
  }

  private static Optional<BigInteger> furthest(SequenceState.Form counter) throws SQLException {
    try (Connection session = Db2Lab.admin()) {
      return Db2Counter.furthest(session, TICKET, "n", counter);
    }
  }

  /** From where the sequence stands it would meet what that has given. */
  @Test
  void aCounterBeginsAboveAllNumbersOfAFallingSequence() throws SQLException {
    assertThat(advanced(state(100, new SequenceState.Form(-1, 1, 1000, 1, false)))).isEqualTo(1001);
  }

  @Test
  void aCounterGoesOnAsASequenceIfItHasItsStepsAndGoesAsFar() throws SQLException {
    try (TargetConnection connection = lab().target().connect()) {
      TargetSequence counter = ticket(connection);
      for (SequenceState.Form same :
          List.of(RISES, new SequenceState.Form(1, 1, Integer.MAX_VALUE, 50, false))) {
        assertThat(sequences().goesOnAs(counter, same)).as(same.toString()).isTrue();
      }
      for (SequenceState.Form other :
          List.of(
              new SequenceState.Form(2, 1, 1000, 1, false),
              new SequenceState.Form(1, 1, 1000, 1, true),
              new SequenceState.Form(1, 1, Long.MAX_VALUE, 1, false))) {
        assertThat(sequences().goesOnAs(counter, other)).as(other.toString()).isFalse();
      }
    }
  }

  @Test
  void whatStandsForAMissingSequenceIsNamedWithTheNumberAtWhichItGoesOn() {
    assertThat(sequences().fixOfMissing(state(40, RISES), NUMBERS))
        .contains("must continue at 41: CREATE TABLE \"dst\".\"numbers\"");
  }

  /** What the counter of {@code ticket} gives after it was set to a state. */
  private long advanced(SequenceState state) throws SQLException {
    try (TargetConnection connection = lab().target().connect()) {
      sequences()
          .advance(connection, ticket(connection), state, Optional.of(new Owner(TICKET, "n")));
      connection.jdbc().commit();
    }
    return lab().next(TICKET);
  }

  private TargetSequence ticket(TargetConnection connection) throws SQLException {
    return sequences().find(connection, Optional.of(new Owner(TICKET, "n")), NUMBERS).orElseThrow();
  }

  private static SequenceState state(long last, SequenceState.Form form) {
    return new SequenceState(NUMBERS, Optional.empty(), last, true, form);
  }

  private static void run(String... statements) throws SQLException {
    try (Connection session = Db2Lab.admin()) {
      Db2Lab.run(session, statements);
    }
  }

  /** Otherwise a table of many rows could not be emptied in time, at no attempt. */
  @Test
  void aLookAtRowsLimitsNoLaterStatementOfItsTransaction() throws SQLException {
    try (TargetConnection connection = lab().target().connect()) {
      new RowGuard(TICKET::equals, false, (session, tables) -> List.of())
          .require(connection, List.of(TICKET), PrepMode.TRUNCATE_BEFORE_LOAD);
      try (Statement later = connection.jdbc().createStatement()) {
        assertThat(later.getQueryTimeout()).isZero();
      }
    }
  }

  @Test
  void keysThatDifferInBlanksAtTheirEndAreTwoAndOnlyTheirOwnRowsAreDeleted() throws SQLException {
    try (TargetConnection connection = lab().target().connect()) {
      connection.execute("CREATE TABLE dst.name (name VARCHAR(20) NOT NULL PRIMARY KEY, n DATE)");
      connection.execute("INSERT INTO dst.name VALUES ('b', NULL)");
      connection.jdbc().commit();
      StaleKeys keys =
          LoadDialects.of(connection.dialect())
              .staleKeys(connection, 0, new TableId("dst", "name"), List.of("name"));
      for (String key : List.of("a", "a ", "a", "b ")) {
        keys.add(new String[] {key});
      }
      assertThat(keys.count()).isEqualTo(3);
      assertThat(keys.delete()).isZero();
      assertThat(keys.next(10))
          .containsExactlyInAnyOrder(List.of("a"), List.of("a "), List.of("b "));
    }
  }

  private TargetSequences sequences() {
    return LoadDialects.of(Db2Dialect.INSTANCE).sequences();
  }
}
