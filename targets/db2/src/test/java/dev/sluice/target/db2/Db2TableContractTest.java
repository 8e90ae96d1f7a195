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
import dev.sluice.load.target.TargetSequences;
import dev.sluice.load.target.TargetSequences.Owner;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class Db2TableContractTest extends TableContractTest {
  private static final TableId TICKET = new TableId("dst", "ticket");
  private static final TableId NUMBERS = new TableId("dst", "numbers");

  @Override
  protected LoadContractLab lab() {
    return Db2LoadLab.open();
  }

  /** They are not set. */
  @Override
  @Test
  protected void aSequenceStandsAheadAndIsNeverSetBackUnlessNobodyUsesIt() {
    assertThat(sequences().fixOfMissing(state(40), NUMBERS))
        .contains("ALTER SEQUENCE \"dst\".\"numbers\" RESTART WITH 42;");
    assertThat(sequences().fixOfMissing(state(Long.MAX_VALUE), NUMBERS))
        .contains("RESTART WITH 9223372036854775809;");
  }

  private static SequenceState state(long last) {
    return new SequenceState(
        NUMBERS,
        Optional.empty(),
        last,
        true,
        new SequenceState.Form(2, 1, Long.MAX_VALUE, 1, false));
  }

  /** None is found, so each is named. */
  @Override
  @Test
  protected void aSequenceIsFoundByItsColumnOrElseByItsName() throws SQLException {
    try (TargetConnection connection = lab().target().connect()) {
      assertThat(sequences().find(connection, Optional.of(new Owner(TICKET, "n")), NUMBERS))
          .isEmpty();
      assertThat(sequences().ownedBy(connection, List.of(TICKET))).isEmpty();
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
