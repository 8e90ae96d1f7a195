package dev.sluice.engine.otlp;

import static dev.sluice.engine.Sql.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.status.DaemonMetric;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The metrics of a real task, as an endpoint of OTLP receives them. */
@ExtendWith(SharedBroker.class)
class OtlpPushTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  private final Logger logger = (Logger) LoggerFactory.getLogger(OtlpPush.class);
  private final Level levelBefore = logger.getLevel();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @BeforeEach
  void listen() {
    log.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(log);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(log);
    logger.setLevel(levelBefore);
  }

  @Test
  void everyMetricArrivesWithTheNameTheLabelsAndTheBucketsOfThePage() throws Exception {
    Instant before = Instant.now();
    try (Receiver receiver = new Receiver();
        RunningDaemon running = RunningDaemon.replicating(task("pushed", receiver.address()))) {
      execute(source, "pushed", "INSERT INTO noted SELECT generate_series(1, 30)");
      running.awaitApplied();
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  points(receiver.metrics().get("sluice_target_rows_total")).get(0).getAsDouble()
                      == 30);
      Map<String, Metric> metrics = receiver.metrics();
      for (DaemonMetric declared : DaemonMetric.all()) {
        assertThat(metrics).containsKey(declared.name());
        Metric metric = metrics.get(declared.name());
        assertThat(metric.getDescription()).isEqualTo(declared.help());
        switch (declared.type()) {
          case COUNTER -> {
            assertThat(metric.getSum().getIsMonotonic()).as(declared.name()).isTrue();
            assertThat(metric.getSum().getAggregationTemporality())
                .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
          }
          case GAUGE, INFO -> assertThat(metric.hasGauge()).as(declared.name()).isTrue();
          case HISTOGRAM -> assertThat(metric.hasHistogram()).as(declared.name()).isTrue();
        }
      }
      assertThat(metrics.get("sluice_window_seconds").getUnit()).isEqualTo("s");
      assertThat(metrics.get("sluice_memory_bytes").getUnit()).isEqualTo("By");
      assertThat(metrics.keySet()).anyMatch(name -> name.startsWith("jvm_memory_used"));

      List<HistogramDataPoint> rows =
          metrics.get("sluice_window_rows").getHistogram().getDataPointsList();
      assertThat(rows)
          .extracting(point -> text(point.getAttributesList(), "reason"))
          .contains("BARRIER", "CAUGHT_UP");
      assertThat(rows.stream().mapToDouble(HistogramDataPoint::getSum).sum()).isEqualTo(30);
      assertThat(rows)
          .allSatisfy(
              point -> {
                assertThat(point.getBucketCountsCount())
                    .isEqualTo(point.getExplicitBoundsCount() + 1);
                assertThat(point.getExplicitBoundsList()).startsWith(1.0, 10.0);
                assertThat(point.getBucketCountsList().stream().mapToLong(Long::longValue).sum())
                    .isEqualTo(point.getCount());
                assertThat(text(point.getAttributesList(), "task")).isEqualTo("pushed");
              });

      NumberDataPoint counted = points(metrics.get("sluice_target_rows_total")).get(0);
      assertThat(counted.getStartTimeUnixNano())
          .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(before.toEpochMilli()));
      assertThat(counted.getTimeUnixNano()).isGreaterThan(counted.getStartTimeUnixNano());
      List<KeyValue> resource =
          receiver.last().getResourceMetrics(0).getResource().getAttributesList();
      assertThat(text(resource, "service.name")).isEqualTo("sluice");
      assertThat(text(resource, "service.instance.id")).isEqualTo("pushed");
    }
  }

  @Test
  void anEndpointThatRefusesIsSaidOnceUntilItTakesMetricsAgain() throws Exception {
    try (Receiver receiver = new Receiver()) {
      receiver.status = 503;
      try (RunningDaemon running = RunningDaemon.replicating(task("refused", receiver.address()))) {
        await().atMost(PATIENCE).until(() -> receiver.requests() >= 3);
        execute(source, "refused", "INSERT INTO noted VALUES (1)");
        running.awaitApplied();
        assertThat(running.daemon().status().problem()).isNull();
        assertThat(messages(Level.WARN))
            .singleElement()
            .asString()
            .contains(receiver.address(), "HTTP status 503", "every 1 s");
        receiver.status = 200;
        await().atMost(PATIENCE).until(() -> messages(Level.INFO).size() == 2);
        assertThat(messages(Level.INFO).get(1)).contains("arrive", "again");
      }
    }
  }

  @Test
  void aTaskWorksAndEndsWhileTheEndpointIsNotThereOrNeverAnswers() throws Exception {
    String nowhere = "http://127.0.0.1:" + FreePort.find() + "/v1/metrics";
    try (RunningDaemon running = RunningDaemon.replicating(task("nowhere", nowhere))) {
      await().atMost(PATIENCE).until(() -> !messages(Level.WARN).isEmpty());
      execute(source, "nowhere", "INSERT INTO noted VALUES (1)");
      running.awaitApplied();
    }
    assertThat(messages(Level.WARN)).singleElement().asString().contains("cannot be reached");
    try (Receiver receiver = new Receiver()) {
      receiver.silent = true;
      try (RunningDaemon running = RunningDaemon.replicating(task("silent", receiver.address()))) {
        await().atMost(PATIENCE).until(() -> receiver.requests() >= 1);
        execute(source, "silent", "INSERT INTO noted VALUES (1)");
        running.awaitApplied();
      }
    }
  }

  @Test
  void theLastPushSaysThatTheTaskFailed() throws Exception {
    try (Receiver receiver = new Receiver()) {
      try (RunningDaemon running = RunningDaemon.replicating(task("ended", receiver.address()))) {
        await().atMost(PATIENCE).until(() -> receiver.requests() >= 1);
        assertThat(up(receiver)).isEqualTo(1);
        running.errors().accept(new Thread("sluice-monitor"), new NoClassDefFoundError());
        assertThatThrownBy(running::awaitEnd);
      }
      assertThat(up(receiver)).isZero();
    }
  }

  private static double up(Receiver receiver) {
    return receiver.metrics().get("sluice_up").getGauge().getDataPoints(0).getAsDouble();
  }

  @Test
  void nothingIsPushedUnlessASettingSaysWhere() throws Exception {
    try (RunningDaemon running = RunningDaemon.replicating(task("unsaid", ""))) {
      assertThat(running.phase()).isEqualTo("replicating");
      assertThat(Thread.getAllStackTraces().keySet())
          .extracting(Thread::getName)
          .contains("sluice-monitor")
          .doesNotContain("sluice-otlp");
    }
    assertThat(log.list).isEmpty();
  }

  private List<String> messages(Level level) {
    return List.copyOf(log.list).stream()
        .filter(event -> event.getLevel() == level)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private static List<NumberDataPoint> points(Metric metric) {
    return metric.getSum().getDataPointsList();
  }

  private static String text(List<KeyValue> attributes, String name) {
    return attributes.stream()
        .filter(attribute -> attribute.getKey().equals(name))
        .map(attribute -> attribute.getValue().getStringValue())
        .findFirst()
        .orElse("");
  }

  private TaskConfig task(String name, String address) throws Exception {
    source.createDatabase(name);
    target.createDatabase(name);
    execute(source, name, "CREATE TABLE noted (id int PRIMARY KEY)");
    return TaskFolder.of(folder.resolve(name), name, source, target, name, "public")
        .settings(
            ("{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                    + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                    + " Sluice: {OtlpEndpoint: \"%s\", OtlpInterval: 1}}")
                .formatted(address))
        .config();
  }
}
