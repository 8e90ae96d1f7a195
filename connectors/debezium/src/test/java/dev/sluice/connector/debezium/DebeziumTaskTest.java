package dev.sluice.connector.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.junit.jupiter.api.Test;

class DebeziumTaskTest {
  private final CompletableFuture<Throwable> ended = new CompletableFuture<>();
  private final Reader reader = new Reader();

  @Test
  void aRunThatIsClosedStopsTheTaskAndIsNoFailure() throws Exception {
    DebeziumTask run = new DebeziumTask("run", reader, Map.of("name", "x"), ended::complete);
    assertThat(reader.polled.await(5, TimeUnit.MINUTES)).isTrue();
    run.close();
    assertThat(reader.stopped).isTrue();
    assertThat(reader.startedWith).isEqualTo(Map.of("name", "x"));
    assertThat(ended).isNotCompleted();
  }

  @Test
  void aTaskThatStopsReadingWithoutAnErrorEndsTheRun() throws Exception {
    DebeziumTask run = new DebeziumTask("run", reader, Map.of(), ended::complete);
    reader.hasEnded = true;
    assertThat(ended.get(5, TimeUnit.MINUTES)).hasMessageContaining("stopped reading");
    run.close();
    assertThat(reader.stopped).isTrue();
  }

  @Test
  void theFailureThatEndedTheTaskIsReported() throws Exception {
    reader.hasEnded = true;
    reader.failure = new IllegalStateException("the source is away");
    DebeziumTask run = new DebeziumTask("run", reader, Map.of(), ended::complete);
    assertThat(ended.get(5, TimeUnit.MINUTES)).hasMessage("the source is away");
    run.close();
  }

  @Test
  void aRecordThatDebeziumDeliversByItselfEndsTheRun() throws Exception {
    reader.records =
        List.of(new SourceRecord(Map.of(), Map.of(), "sluice.public.a", null, null, null));
    DebeziumTask run = new DebeziumTask("run", reader, Map.of(), ended::complete);
    assertThat(ended.get(5, TimeUnit.MINUTES)).hasMessageContaining("of topic sluice.public.a");
    run.close();
  }

  private static final class Reader extends SourceTask implements LogReader {
    final CountDownLatch polled = new CountDownLatch(1);
    volatile Map<String, String> startedWith;
    volatile RuntimeException failure;
    volatile List<SourceRecord> records = List.of();
    volatile boolean hasEnded;
    volatile boolean stopped;

    @Override
    public SourceTask task() {
      return this;
    }

    @Override
    public void acknowledge(Position position) {}

    @Override
    public boolean hasEnded() {
      return hasEnded;
    }

    @Override
    public String version() {
      return "1";
    }

    @Override
    public void start(Map<String, String> properties) {
      startedWith = properties;
    }

    @Override
    public List<SourceRecord> poll() {
      polled.countDown();
      if (failure != null) {
        throw failure;
      }
      Thread.onSpinWait();
      return records;
    }

    @Override
    public void stop() {
      stopped = true;
    }
  }
}
