package dev.sluice.engine.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StepTablesTest {
  private static final TableId A = new TableId("shop", "a");
  private static final TableId B = new TableId("shop", "b");
  private static final TableId C = new TableId("shop", "c");

  @Test
  void aNameThatWasGainedCountsBehindItsPosition() {
    StepTables tables =
        StepTables.parse(FollowedTables.detail(List.of(A)))
            .and(B, new Position(5, 7), new Position(5, 7));
    assertThat(tables.at(new Position(5, 7)).names()).containsExactly(A);
    assertThat(tables.at(new Position(4, 9)).names()).containsExactly(A);
    assertThat(tables.at(new Position(5, 8)).names()).containsExactly(A, B);
  }

  @Test
  void whereTheSourceShowedWhatATableIsIsReadAgain() {
    String detail =
        StepTables.parse(FollowedTables.detail(List.of(A)))
            .and(B, new Position(5, 7), new Position(6, 1))
            .detail();
    assertThat(StepTables.parse(detail).proven()).containsOnly(Map.entry(B, new Position(6, 1)));
    StepTables earlier = StepTables.parse("[[\"shop\",\"b\",\"0/0/5\"]]");
    assertThat(earlier.proven()).containsOnly(Map.entry(B, Position.parse("0/0/5")));
  }

  @Test
  void theFirstPositionOfANameStays() {
    StepTables tables =
        StepTables.parse("[]")
            .and(List.of(A))
            .and(B, new Position(5, 0), new Position(5, 0))
            .and(B, new Position(9, 0), new Position(9, 0))
            .and(A, new Position(9, 0), new Position(9, 0))
            .and(List.of(B, C));
    assertThat(tables.at(new Position(6, 0)).names()).containsExactly(A, B, C);
    assertThat(tables.at(new Position(1, 0)).names()).containsExactly(A, C);
  }

  @Test
  void whatIsWrittenIsReadAgain() {
    String detail =
        StepTables.parse(FollowedTables.detail(List.of(A)))
            .and(B, new Position(5, -1), new Position(5, -1))
            .detail();
    assertThat(detail).contains("\"5/FFFFFFFF/FFFFFFFF\"");
    assertThat(StepTables.parse(detail).detail()).isEqualTo(detail);
    assertThat(FollowedTables.parse(detail)).containsExactlyInAnyOrder(A, B);
  }

  @Test
  void aTableIsGoneBehindItsDropAndAnotherOneOfItsNameIsThereBehindItsOwnPlace() {
    Position drop = new Position(5, 0);
    Position again = new Position(7, 0);
    StepTables tables =
        StepTables.parse(
            StepTables.parse(FollowedTables.detail(List.of(A, C)))
                .without(List.of(A), drop)
                .and(A, again, new Position(8, 0))
                .detail());
    assertThat(tables.names()).containsExactly(C, A);
    assertThat(tables.at(new Position(5, 0)).names()).containsExactly(A, C);
    assertThat(tables.at(new Position(5, 0)).proven()).isEmpty();
    assertThat(tables.at(new Position(6, 0)).names()).containsExactly(C);
    assertThat(tables.at(new Position(7, 1)).names()).containsExactly(C, A);
    assertThat(tables.at(new Position(7, 1)).proven()).containsOnlyKeys(A);
  }

  @Test
  void whatWasLostIsForgottenOnceNothingBeginsBeforeIt() {
    StepTables tables =
        StepTables.parse(FollowedTables.detail(List.of(A, C)))
            .without(List.of(A), new Position(5, 0));
    assertThat(tables.since(new Position(5, 0)).detail()).isEqualTo(tables.detail());
    assertThat(tables.since(new Position(6, 0)).detail())
        .isEqualTo(FollowedTables.detail(List.of(C)));
    assertThat(tables.and(List.of(A)).names()).containsExactly(C, A);
  }
}
