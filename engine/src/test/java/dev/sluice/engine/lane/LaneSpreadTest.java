package dev.sluice.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LaneSpreadTest {

  @Test
  void theLargestTableGoesFirstToTheLaneWithTheLeast() {
    LaneSpread spread =
        LaneSpread.of(Map.of(table("a"), 10L, table("b"), 7L, table("c"), 6L, table("d"), 4L), 2);
    assertThat(spread.lanes())
        .containsExactly(List.of(table("a"), table("d")), List.of(table("b"), table("c")));
  }

  @Test
  void tablesOfUnknownSizeAreDistributedToo() {
    LaneSpread spread = LaneSpread.of(Map.of(table("a"), 0L, table("b"), 0L, table("c"), 0L), 3);
    assertThat(spread.lanes())
        .containsExactly(List.of(table("a")), List.of(table("b")), List.of(table("c")));
  }

  @Test
  void thereIsNoLaneWithoutTableButAlwaysTheMainOne() {
    assertThat(LaneSpread.of(Map.of(table("a"), 1L), 4).lanes()).hasSize(1);
    assertThat(LaneSpread.of(Map.of(), 4).lanes()).containsExactly(List.of());
    assertThat(LaneSpread.of(Map.of(table("a"), 1L, table("b"), 1L), 0).lanes()).hasSize(1);
  }

  private static TableId table(String name) {
    return new TableId("shop", name);
  }
}
