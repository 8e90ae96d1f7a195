package dev.sluice.target.db2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.target.LoadContractLab;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.load.target.TableContractTest;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.load.target.TargetSequences.Owner;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
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
    SequenceState state =
        new SequenceState(
            NUMBERS,
            Optional.empty(),
            40,
            true,
            new SequenceState.Form(2, 1, Long.MAX_VALUE, 1, false));
    assertThat(sequences().fixOfMissing(state, NUMBERS))
        .contains("ALTER SEQUENCE \"dst\".\"numbers\" RESTART WITH 42;");
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
