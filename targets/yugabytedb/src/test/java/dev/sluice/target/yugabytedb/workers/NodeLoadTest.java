package dev.sluice.target.yugabytedb.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.target.yugabytedb.workers.NodeLoad.Said;
import org.junit.jupiter.api.Test;

class NodeLoadTest {
  private static final Said FIGURES = said("0.42", "0.15", "1000", "101", "60", "60");

  @Test
  void theProcessorsTimeOfProgramsAndOfTheSystemIsAddedUp() {
    assertThat(NodeLoad.of("yb1:5433", "OK", FIGURES))
        .contains(new NodeLoad("yb1:5433", 57, false));
  }

  @Test
  void aServerIsShortOfMemoryBelowATenthOfItsMachineAndAboveTheLimitOfItsProcess() {
    assertThat(isShort("1000", "99", "60", "60")).isTrue();
    assertThat(isShort("1000", "101", "61", "60")).isTrue();
  }

  /** As on macOS, whose servers say 0. */
  @Test
  void memoryThatIsNotToldIsNotShort() {
    assertThat(isShort("1000", "0", "60", "60")).isFalse();
    assertThat(isShort(null, null, null, null)).isFalse();
    assertThat(isShort("1000", "x", "61", "0")).isFalse();
  }

  @Test
  void aServerThatHasNotAnsweredOrDoesNotTellItsProcessorsIsLeftOut() {
    assertThat(NodeLoad.of("yb1:5433", "ERROR", FIGURES)).isEmpty();
    assertThat(NodeLoad.of("yb1:5433", null, FIGURES)).isEmpty();
    assertThat(NodeLoad.of("yb1:5433", "OK", said(null, "0.1", "1", "1", "1", "1"))).isEmpty();
    assertThat(NodeLoad.of("yb1:5433", "OK", said("0.1", "NaN", "1", "1", "1", "1"))).isEmpty();
    assertThat(NodeLoad.of("yb1:5433", "OK", said("", "0.1", "1", "1", "1", "1"))).isEmpty();
  }

  private static boolean isShort(String total, String available, String used, String softLimit) {
    return NodeLoad.of("yb1:5433", "OK", said("0", "0", total, available, used, softLimit))
        .orElseThrow()
        .memoryShort();
  }

  private static Said said(
      String user, String system, String total, String available, String used, String softLimit) {
    return new Said(user, system, total, available, used, softLimit);
  }
}
