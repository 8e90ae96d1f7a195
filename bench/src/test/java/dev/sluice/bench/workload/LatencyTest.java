package dev.sluice.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LatencyTest {
  @Test
  void aTransactionArrivedWhenItOrALaterOneOfItsWriterWasSeenFirst() throws Exception {
    Latency latency =
        Latency.of(
            List.of(committed(0, 1, 1_000), committed(0, 2, 2_000), committed(1, 1, 1_500)),
            writer ->
                List.of(writer == 0 ? new Arrivals.Seen(2, 5_000) : new Arrivals.Seen(1, 9_500)),
            0);
    assertThat(latency.sortedMicros()).containsExactly(3_000, 4_000, 8_000);
  }

  @Test
  void theWarmUpIsNotCounted() throws Exception {
    Latency latency =
        Latency.of(
            List.of(committed(0, 1, 1_000), committed(0, 2, 2_000)),
            writer -> List.of(new Arrivals.Seen(2, 5_000)),
            2_000);
    assertThat(latency.sortedMicros()).containsExactly(3_000);
  }

  @Test
  void aTransactionThatNeverArrivedIsAnError() {
    assertThatThrownBy(
            () ->
                Latency.of(
                    List.of(committed(0, 1, 1_000), committed(0, 2, 2_000)),
                    writer -> List.of(new Arrivals.Seen(1, 5_000)),
                    0))
        .hasMessageContaining("number=2")
        .hasMessageContaining("never seen");
  }

  @Test
  void percentilesAreThoseOfTheNearestRank() {
    Latency latency = new Latency(LongStream.rangeClosed(1, 200).map(i -> i * 1_000).toArray());
    assertThat(latency.millis(0.5)).isEqualTo(100);
    assertThat(latency.millis(0.99)).isEqualTo(198);
    assertThat(latency.millis(1)).isEqualTo(200);
  }

  private static Latency.Committed committed(int writer, long number, long micros) {
    return new Latency.Committed(writer, number, micros);
  }
}
