package dev.sluice.connect.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.Begin;
import dev.sluice.connect.envelope.DebeziumRecord.Skipped;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class ErrantRecordsTest {
  private static final SinkRecord RECORD = new SinkRecord("items", 0, null, null, null, "x", 7);

  private final CompletableFuture<Void> reported = new CompletableFuture<>();
  private final List<Object> seen = new ArrayList<>();

  @AfterEach
  void forget() {
    // A thread that was interrupted on purpose is the next test's as well.
    Thread.interrupted();
  }

  @Test
  void whatCanBeReadIsNotReported() {
    assertThat(reading(record -> new Begin("7")).apply(RECORD)).isEqualTo(new Begin("7"));
    assertThat(seen).isEmpty();
  }

  @Test
  void aRecordIsSkippedOnlyAfterTheReporterHasIt() throws Exception {
    CompletableFuture<DebeziumRecord> read =
        CompletableFuture.supplyAsync(() -> reading(ErrantRecordsTest::refuse).apply(RECORD));
    assertThatThrownBy(() -> read.get(50, TimeUnit.MILLISECONDS))
        .as("the reporter has not answered")
        .isInstanceOf(java.util.concurrent.TimeoutException.class);
    reported.complete(null);
    assertThat(read.get()).isInstanceOf(Skipped.class);
    assertThat(seen).containsExactly(RECORD, "an event of nobody");
  }

  @Test
  void aReporterThatFailsIsTriedAgainWithTheRecord() {
    reported.completeExceptionally(new IOException("no dead letters"));
    assertThatThrownBy(() -> reading(ErrantRecordsTest::refuse).apply(RECORD))
        .isInstanceOf(SluiceException.Retryable.class)
        .hasMessageContaining("no dead letters");
  }

  @Test
  void whatIsNoFaultOfTheRecordIsNotReported() {
    Function<SinkRecord, DebeziumRecord> away =
        record -> {
          throw new SluiceException.Retryable("the target is away", null);
        };
    assertThatThrownBy(() -> reading(away).apply(RECORD))
        .isInstanceOf(SluiceException.Retryable.class);
    assertThat(seen).isEmpty();
  }

  @Test
  void aTaskThatIsStoppedMeanwhileDoesNotPassTheRecordOver() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> reading(ErrantRecordsTest::refuse).apply(RECORD))
        .isInstanceOf(SluiceException.Retryable.class);
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }

  private ErrantRecords reading(Function<SinkRecord, DebeziumRecord> reader) {
    return new ErrantRecords(
        reader,
        (record, error) -> {
          seen.add(record);
          seen.add(error.getMessage());
          return reported;
        });
  }

  private static DebeziumRecord refuse(SinkRecord record) {
    throw new SluiceException.Fatal("an event of nobody", null);
  }
}
