package dev.sluice.target.yugabytedb.workers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkersByNodeLoadTest {
  private static final int MOST = 4;
  private static final int POLL_SECONDS = 10;

  private Instant now = Instant.parse("2026-11-30T00:00:00Z");
  private final WorkersByNodeLoad workers = new WorkersByNodeLoad(MOST, now);

  @Test
  void theLoadBeginsWithTheBoundAndAnIdleClusterDoesNotRaiseIt() {
    poll(20, at(5, 5));
    assertThat(workers.workers()).isEqualTo(MOST);
  }

  @Test
  void aServerThatIsBusyAtThreePollsLowersTheNumberByOne() {
    poll(2, at(75, 10));
    assertThat(workers.workers()).isEqualTo(4);
    assertThat(poll(at(71, 10))).isTrue();
    assertThat(workers.workers()).isEqualTo(3);
    assertThat(workers.why()).isEqualTo("servers are busy: node0 71 %, node1 10 %");
    // What comes next shows whether that was enough.
    poll(2, at(75, 10));
    assertThat(workers.workers()).isEqualTo(3);
    poll(1, at(75, 10));
    assertThat(workers.workers()).isEqualTo(2);
  }

  @Test
  void aMomentInWhichAServerIsBusyDoesNotLowerIt() {
    poll(2, at(85));
    poll(1, at(65));
    poll(2, at(85));
    assertThat(workers.workers()).isEqualTo(MOST);
  }

  @Test
  void aFullServerLowersItAtOnceAndOneThatIsShortOfMemoryAsWell() {
    assertThat(poll(at(10, 91))).isTrue();
    assertThat(workers.workers()).isEqualTo(3);
    assertThat(poll(List.of(new NodeLoad("node0", 5, true)))).isTrue();
    assertThat(workers.workers()).isEqualTo(2);
    assertThat(workers.why()).isEqualTo("servers are busy: node0 5 % and short of memory");
  }

  @Test
  void neverFewerThanOneLoads() {
    for (int i = 0; i < 20; i++) {
      poll(at(99));
    }
    assertThat(workers.workers()).isEqualTo(1);
  }

  @Test
  void allServersThatAreIdleAtThreePollsRaiseItByOneUpToTheBound() {
    poll(2, at(99, 99));
    assertThat(workers.workers()).isEqualTo(2);
    poll(2, at(59, 30));
    assertThat(workers.workers()).isEqualTo(2);
    assertThat(poll(at(59, 30))).isTrue();
    assertThat(workers.workers()).isEqualTo(3);
    assertThat(workers.why()).isEqualTo("the servers are not busy: node0 59 %, node1 30 %");
    poll(30, at(59, 30));
    assertThat(workers.workers()).isEqualTo(MOST);
  }

  @Test
  void betweenIdleAndBusyTheNumberStays() {
    poll(2, at(99, 99));
    poll(30, at(65, 10));
    assertThat(workers.workers()).isEqualTo(2);
  }

  @Test
  void aServerThatDoesNotAnswerIsLeftOut() {
    List<NodeLoad> others = List.of(new NodeLoad("node1", 10, false));
    poll(2, at(75, 10));
    poll(1, others);
    poll(1, at(75, 10));
    assertThat(workers.workers()).as("its polls before count no more").isEqualTo(MOST);
    poll(1, at(99, 10));
    assertThat(workers.workers()).isEqualTo(3);
    poll(1, at(65, 10));
    poll(3, others);
    assertThat(workers.workers()).isEqualTo(MOST);
  }

  /** It may be too busy to answer. */
  @Test
  void aServerThatWasBusyAndIsSilentSinceHoldsTheNumberForTenMinutes() {
    poll(2, at(99, 10));
    poll(30, List.of());
    poll(29, List.of(new NodeLoad("node1", 10, false)));
    assertThat(workers.workers()).isEqualTo(2);
    poll(3, List.of(new NodeLoad("node1", 10, false)));
    assertThat(workers.workers()).isEqualTo(3);
  }

  @Test
  void noFewerMayWorkWhileMoreDoThanMay() {
    poll(1, at(99));
    assertThat(workers.workers()).isEqualTo(3);
    now = now.plusSeconds(POLL_SECONDS);
    assertThat(workers.poll(now, at(99), 4)).isFalse();
    now = now.plusSeconds(POLL_SECONDS);
    assertThat(workers.poll(now, at(99), 3)).isTrue();
    assertThat(workers.workers()).isEqualTo(2);
  }

  @Test
  void questionsThatFailLeaveTheNumberForAMinuteAndThenRaiseIt() {
    poll(2, at(99));
    poll(1, at(65));
    assertThat(workers.workers()).isEqualTo(2);
    poll(5, List.of());
    assertThat(workers.workers()).isEqualTo(2);
    assertThat(poll(List.of())).isTrue();
    assertThat(workers.workers()).isEqualTo(3);
    assertThat(workers.why()).isEqualTo("no server has said for 60 s how busy it is");
    poll(30, List.of());
    assertThat(workers.workers()).isEqualTo(MOST);
  }

  private void poll(int times, List<NodeLoad> nodes) {
    for (int i = 0; i < times; i++) {
      poll(nodes);
    }
  }

  private boolean poll(List<NodeLoad> nodes) {
    now = now.plusSeconds(POLL_SECONDS);
    return workers.poll(now, nodes, workers.workers());
  }

  /** Servers whose processors are so busy. */
  private static List<NodeLoad> at(int... percents) {
    return IntStream.range(0, percents.length)
        .mapToObj(i -> new NodeLoad("node" + i, percents[i], false))
        .toList();
  }
}
