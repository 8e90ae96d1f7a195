package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.sink.lane.LaneId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LookupTurnsTest {
  private static final TableId LARGE = new TableId("public", "large");
  private static final TableId ONE = new TableId("public", "one");
  private static final TableId TWO = new TableId("public", "two");
  private static final LaneId LANE = LaneId.MAIN;

  private final LookupTurns turns = new LookupTurns();

  @Test
  void tablesThatASessionHadNoTimeForComeFirstInEachSecondSession() {
    session(
        Set.of(ONE, TWO), ComparisonPlan.whole(LARGE, List.of("id")), touched(ONE), touched(TWO));
    assertThat(turns.first(LANE)).containsExactlyInAnyOrder(ONE, TWO);

    session(Set.of(TWO), touched(ONE), touched(TWO), ComparisonPlan.whole(LARGE, List.of("id")));
    assertThat(turns.first(LANE)).as("the large one has its turn").isEmpty();

    session(Set.of(TWO), ComparisonPlan.whole(LARGE, List.of("id")), touched(TWO));
    assertThat(turns.first(LANE)).containsExactly(TWO);
  }

  @Test
  void theOneThatHasWaitedLongestComesFirst() {
    session(Set.of(TWO), touched(TWO));
    session(Set.of(ONE, TWO), touched(ONE), touched(TWO));
    assertThat(turns.first(LANE)).isEmpty();

    session(
        Set.of(ONE, TWO), ComparisonPlan.whole(LARGE, List.of("id")), touched(ONE), touched(TWO));

    assertThat(turns.first(LANE)).containsExactly(TWO, ONE);
  }

  @Test
  void aTableOfWhichAPartIsDueKeepsItsPlaceAmongThem() {
    session(Set.of(LARGE), touched(ONE), ComparisonPlan.whole(LARGE, List.of("id")));

    assertThat(turns.first(LANE)).isEmpty();
  }

  private void session(Set<TableId> missed, ComparisonPlan... plans) {
    turns.ended(LANE, List.of(plans), missed);
  }

  private static ComparisonPlan touched(TableId table) {
    return ComparisonPlan.touched(table, List.of("id"), List.of(RowKey.of("1")));
  }
}
