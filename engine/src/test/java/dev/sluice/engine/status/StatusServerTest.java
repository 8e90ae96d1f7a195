package dev.sluice.engine.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.RetriedWork;
import dev.sluice.config.task.HttpAddress;
import dev.sluice.sink.progress.LastWindow;
import dev.sluice.sink.progress.WindowFigures;
import dev.sluice.sink.sorter.SpillCounts;
import dev.sluice.sink.window.policy.CloseReason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusServerTest {
  @TempDir Path folder;

  private final HttpClient client = HttpClient.newHttpClient();
  private final FakeTask task = new FakeTask();
  private ControlToken token;
  private StatusServer server;

  @BeforeEach
  void startServer() {
    token = ControlToken.create(folder);
    server =
        StatusServer.start(
            new HttpAddress("127.0.0.1", 0), List.of(), folder, task, token, List.of());
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  @Test
  void itListensBeforeTheTaskCanSayHowItIs() throws Exception {
    server.close();
    task.mute = true;
    startServer();
    task.mute = false;
    HttpRequest request = HttpRequest.newBuilder(uri("/metrics")).build();
    assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).body())
        .contains("jvm_memory_used_bytes")
        .contains("task=\"orders\"");
  }

  @Test
  void theReportOfACutoverTakesTimeoutAndAcceptedKindsAndNeedsTheToken() throws Exception {
    String path = "/cutover-report?timeout=2.5&accept=missing-grants,differences";
    assertThat(post(path, "").statusCode()).isEqualTo(403);
    HttpResponse<String> answer = post(path, token.text());
    assertThat(answer.statusCode()).isEqualTo(200);
    CutoverReport report = StatusJson.read(answer.body(), CutoverReport.class);
    assertThat(report.go()).isTrue();
    assertThat(report.seconds()).isEqualTo(2.5);
    assertThat(report.accepted()).containsExactlyInAnyOrder("missing-grants", "differences");
    assertThat(
            StatusJson.read(post("/cutover-report", token.text()).body(), CutoverReport.class).go())
        .isFalse();
  }

  @Test
  void theStatusIsJsonInSnakeCase() throws Exception {
    HttpResponse<String> page = get("/status");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body())
        .contains("\"source_seconds\" : 1.5")
        .contains("\"target_seconds\" : null")
        .contains("\"since\" : \"2026-01-01T00:00:00Z\"");
    assertThat(StatusJson.read(page.body(), TaskStatus.class)).isEqualTo(task.status());
  }

  @Test
  void theMetricsHaveTheSameFiguresWithTheTasksName() throws Exception {
    assertThat(get("/metrics").body())
        .contains("sluice_room_seconds{disk=\"source-log\",task=\"orders\"} 25200.0")
        .contains("sluice_room_seconds{disk=\"kafka-disk\",task=\"orders\"} +Inf")
        .contains("sluice_room_bytes{disk=\"source-log\",task=\"orders\"} 7.0")
        .contains("sluice_room_bytes{disk=\"kafka-disk\",task=\"orders\"} +Inf")
        .contains("sluice_build_info{java=\"" + Runtime.version() + "\",")
        .contains("sluice_phase{phase=\"replicating\",task=\"orders\"} 1.0")
        .contains("sluice_phase{phase=\"failed\",task=\"orders\"} 0.0")
        .contains("sluice_problem{kind=\"disk\",task=\"orders\"} 1.0")
        .contains("sluice_problem{kind=\"swap-full\",task=\"orders\"} 0.0")
        .contains("sluice_retries_total{task=\"orders\",work=\"capture\"} 1.0")
        .contains("sluice_stage_seconds_total{stage=\"fill\",task=\"orders\"} 1.5")
        .contains("sluice_load_rows_total{task=\"orders\"} 8.0")
        .contains("sluice_source_last_commit_timestamp_seconds{task=\"orders\"} 0.25")
        .contains("sluice_latency_source_seconds{task=\"orders\"} 1.5")
        .contains("sluice_latency_target_seconds{task=\"orders\"} 0.0")
        .contains("sluice_windows_applied_total{task=\"orders\"} 7.0")
        .contains("sluice_source_changes_after_cutover{task=\"orders\"} 6.0")
        .contains("sluice_fallback_up{task=\"orders\"} 1.0")
        .contains("sluice_fallback_canary_seconds{task=\"orders\"} 0.25")
        .contains("sluice_fallback_canary_timestamp_seconds{task=\"orders\"} 9.0")
        .contains("sluice_fallback_latency_seconds{task=\"orders\"} 1.5")
        .contains("sluice_fallback_retained_bytes{task=\"orders\"} 7.0")
        .contains("sluice_fallback_retained_limit_bytes{task=\"orders\"} 64.0")
        .contains("sluice_swap_bytes{task=\"orders\"} 3.0")
        .contains("sluice_swap_limit_bytes{task=\"orders\"} 9.0")
        .contains("sluice_swap_transactions_total{reason=\"limit\",task=\"orders\"} 4.0")
        .contains("sluice_swap_transactions_total{reason=\"age\",task=\"orders\"} 1.0");
  }

  @Test
  void theWorstTablesOfTheValidationHaveSeriesAndNoMoreThanAHundred() throws Exception {
    task.validated = 101;
    String page = get("/metrics").body();
    assertThat(page)
        .contains("sluice_validation_table_failed_rows{table=\"shop.t101\",task=\"orders\"} 101.0")
        .contains("sluice_validation_table_touched_rows{table=\"shop.t2\",task=\"orders\"} 4.0")
        .contains(
            "sluice_validation_table_read_timestamp_seconds{table=\"shop.t7\",task=\"orders\"} 7.0")
        .doesNotContain("shop.t1\"");
    task.validated = 1;
    assertThat(get("/metrics").body())
        .contains("sluice_validation_table_failed_rows{table=\"shop.t1\",task=\"orders\"} 1.0")
        .doesNotContain("shop.t101");
  }

  @Test
  void theBusiestTablesHaveSeriesAndNoMoreThanAHundred() throws Exception {
    task.tables = 101;
    assertThat(get("/metrics").body())
        .contains("sluice_table_source_rows_total{table=\"shop.t101\",task=\"orders\"} 101.0")
        .contains("sluice_table_target_rows_total{table=\"shop.t2\",task=\"orders\"} 2.0")
        .doesNotContain("shop.t1\"");
  }

  @Test
  void aHistogramHasABucketForEachBoundAndTheSumOfItsValues() throws Exception {
    assertThat(get("/metrics").body())
        .contains("sluice_window_rows_bucket{reason=\"READY\",task=\"orders\",le=\"1.0\"} 0")
        .contains("sluice_window_rows_bucket{reason=\"READY\",task=\"orders\",le=\"10.0\"} 1")
        .contains("sluice_window_rows_bucket{reason=\"READY\",task=\"orders\",le=\"+Inf\"} 1")
        .contains("sluice_window_rows_sum{reason=\"READY\",task=\"orders\"} 7.0")
        .contains("sluice_window_rows_count{reason=\"MEMORY\",task=\"orders\"} 0")
        .contains("sluice_commit_to_visible_seconds_bucket{task=\"orders\",le=\"0.01\"} 0")
        .contains("sluice_commit_to_visible_seconds_bucket{task=\"orders\",le=\"600.0\"} 1")
        .contains("sluice_commit_to_visible_seconds_sum{task=\"orders\"} 2.0");
  }

  @Test
  void whoAcceptsOpenMetricsGetsThem() throws Exception {
    HttpResponse<String> open =
        client.send(
            HttpRequest.newBuilder(uri("/metrics"))
                .header("Accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.4")
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(open.headers().firstValue("Content-Type"))
        .contains("application/openmetrics-text; version=1.0.0; charset=utf-8");
    assertThat(open.body())
        .contains("# TYPE sluice_source_rows counter\n")
        .contains("# TYPE sluice_build info\n")
        .contains("# UNIT sluice_stage_seconds seconds\n")
        .endsWith("\n# EOF\n");
    HttpResponse<String> text = get("/metrics");
    assertThat(text.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    assertThat(text.body())
        .contains("# TYPE sluice_source_rows_total counter\n")
        .doesNotContain("# EOF");
  }

  /** What OpenMetrics demands of names, and what this project does. */
  @Test
  void theNamesOfTheListFollowTheRules() {
    for (DaemonMetric metric : DaemonMetric.all()) {
      assertThat(metric.name())
          .matches("sluice(_[a-z]+)+")
          .doesNotContain("per_second", "hours", "minutes", "milli", "percent");
      assertThat(metric.name().endsWith("_total"))
          .as(metric.name())
          .isEqualTo(metric.type() == DaemonMetric.Type.COUNTER);
      assertThat(metric.help()).as(metric.name()).matches("[A-Z0-9][^|]*\\.");
    }
    assertThat(DaemonMetric.all()).extracting(DaemonMetric::name).doesNotHaveDuplicates();
  }

  @Test
  void noLabelHasAValueWithASpace() throws Exception {
    assertThat(get("/metrics").body().lines())
        .filteredOn(line -> line.startsWith("sluice_"))
        .isNotEmpty()
        .noneMatch(line -> line.matches("[^ ]*=\"[^\"]* [^\"]*\".*"));
  }

  @Test
  void onlyExactPathsAreAnswered() throws Exception {
    for (String path : List.of("/statusXYZ", "/status/", "/metricsX", "/", "/stopX", "/fence/x")) {
      assertThat(get(path).statusCode()).as(path).isEqualTo(404);
      assertThat(post(path, token.text()).statusCode()).as(path).isEqualTo(404);
    }
    assertThat(task.stopped).isFalse();
    assertThat(get("/status?pretty").statusCode()).isEqualTo(200);
  }

  @Test
  void aTaskWhoseTargetIsAwayIsAliveAndNotReady() throws Exception {
    assertThat(get("/ready").statusCode()).isEqualTo(200);
    assertThat(get("/metrics").body())
        .contains("sluice_ready{task=\"orders\"} 1.0")
        .contains("sluice_endpoint_up{endpoint=\"target\",task=\"orders\"} 1.0");
    task.targetProblem = "connection refused";

    assertThat(get("/health").statusCode()).isEqualTo(200);
    HttpResponse<String> ready = get("/ready");
    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(ready.body()).contains("\"reasons\" : [ \"target: connection refused\" ]");
    assertThat(get("/metrics").body())
        .contains("sluice_ready{task=\"orders\"} 0.0")
        .contains("sluice_endpoint_up{endpoint=\"source\",task=\"orders\"} 1.0")
        .contains("sluice_endpoint_up{endpoint=\"target\",task=\"orders\"} 0.0")
        .contains(
            "sluice_endpoint_last_ok_timestamp_seconds{endpoint=\"source\",task=\"orders\"}"
                + " 1.7672256E9");
  }

  @Test
  void aCommandWithoutTheTokenIsRefused() throws Exception {
    assertThat(post("/stop", "").statusCode()).isEqualTo(403);
    assertThat(post("/stop", "wrong").statusCode()).isEqualTo(403);
    assertThat(get("/stop").statusCode()).isEqualTo(405);
    assertThat(task.stopped).isFalse();
  }

  @Test
  void aBudgetOrAKindThatIsNoneIsRefusedForEveryClient() throws Exception {
    for (String path : List.of("/cutover", "/rehearse", "/cutover-report")) {
      for (String budget : List.of("0.4", "601")) {
        HttpResponse<String> answer = post(path + "?budget=" + budget, token.text());
        assertThat(answer.statusCode()).as(path).isEqualTo(400);
        assertThat(answer.body()).contains("budget " + budget, "seconds from 0.5 to 600.0");
      }
      assertThat(post(path + "?budget=5&accept=Missing+Grant", token.text()).body())
          .contains("accepted kind Missing Grant", "is no kind of a finding");
    }
    assertThat(post("/rehearse?budget=0.5&accept=missing-grant", token.text()).statusCode())
        .isEqualTo(200);
  }

  @Test
  void theTokenCanBeTriedWithoutACommand() throws Exception {
    assertThat(post("/token", token.text()).statusCode()).isEqualTo(200);
    assertThat(post("/token", "wrong").statusCode()).isEqualTo(403);
    assertThat(get("/token").statusCode()).isEqualTo(405);
    assertThat(post("/token", "guessed").body()).doesNotContain("guessed", token.text());
  }

  /** A browser asks first whether another page may send the header, and sends no command then. */
  @Test
  void noOtherPageIsAllowedToSendTheToken() throws Exception {
    for (String path : List.of("/stop", "/token", "/status", "/")) {
      assertThat(
              answerTo(
                  "OPTIONS " + path,
                  "Host: %s\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-sluice-token"
                      .formatted(server.address())))
          .as(path)
          .contains("HTTP/1.1 40")
          .doesNotContainIgnoringCase("Access-Control-Allow");
    }
    assertThat(task.stopped).isFalse();
  }

  @Test
  void aCommandFromAWebPageIsRefusedEvenWithTheToken() throws Exception {
    String here = server.address().toString();
    assertThat(answerTo("POST /stop", "Host: evil.example"))
        .contains(" 403 ")
        .contains("evil.example");
    assertThat(answerTo("POST /stop", "Host: " + here + "\r\nOrigin: http://evil.example"))
        .contains(" 403 ")
        .contains("Origin");
    assertThat(task.stopped).isFalse();
    assertThat(answerTo("POST /stop", "Host: " + here)).contains(" 202 ");
  }

  @Test
  void aPageIsNotReadUnderANameThatAnyoneMayPointHere() throws Exception {
    for (String page : List.of("/status", "/metrics", "/health", "/ready")) {
      assertThat(answerTo("GET " + page, "Host: evil.example:8080"))
          .as(page)
          .contains(" 403 ")
          .containsIgnoringCase("Content-Type: text/plain")
          .contains("found Host: evil.example:8080; expected an IP address, localhost or the host")
          .contains("Use one of these in the URL")
          .doesNotContain("orders");
    }
  }

  @Test
  void aPageIsReadUnderAnAddressLocalhostOrTheConfiguredName() throws Exception {
    server.close();
    String name = InetAddress.getLocalHost().getHostName();
    server =
        StatusServer.start(new HttpAddress(name, 0), List.of(), folder, task, token, List.of());
    for (String host : List.of("10.1.2.3:8080", "[::1]:8080", "localhost:8080", name + ":8080")) {
      assertThat(answerTo("GET /metrics", "Host: " + host))
          .as(host)
          .contains(" 200 ")
          .contains("sluice_up");
    }
  }

  @Test
  void aCommandWithTheTokenIsExecuted() throws Exception {
    assertThat(post("/stop?drop=true", token.text()).statusCode()).isEqualTo(202);
    // The answer is sent first, since the task's end takes the server with it.
    await().atMost(Duration.ofMinutes(5)).until(() -> task.stopped && task.dropped);
  }

  @Test
  void aStopIsAnsweredThoughTheTasksEndTakesTheServerWithIt() throws Exception {
    task.atStop = server::close;
    assertThat(post("/stop", token.text()).statusCode()).isEqualTo(202);
    await().atMost(Duration.ofMinutes(5)).until(() -> task.stopped);
    startServer();
  }

  @Test
  void settingsAreTunedByTheirNamesAndOnlyWithTheToken() throws Exception {
    assertThat(post("/tune?BatchSplitSize=1", "wrong").statusCode()).isEqualTo(403);
    assertThat(post("/tune?BatchSplitSize=1", token.text()).body()).contains("{BatchSplitSize=1}");
  }

  @Test
  void levelsOfTheLogAreChangedByPackageAndOnlyWithTheToken() throws Exception {
    assertThat(post("/logging?dev.sluice=debug", "wrong").statusCode()).isEqualTo(403);
    assertThat(post("/logging?dev.sluice=debug", token.text()).body())
        .contains("{dev.sluice=debug}");
    assertThat(post("/logging", token.text()).body()).contains("{}");
  }

  @Test
  void aFailedCommandSaysWhy() throws Exception {
    HttpResponse<String> answer = post("/fence?timeout=0.5", token.text());
    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(StatusJson.read(answer.body(), TaskControl.Outcome.class).message())
        .isEqualTo("waited 500 ms");
  }

  @Test
  void aTimeoutThatIsNoNumberIsNamed() throws Exception {
    HttpResponse<String> answer = post("/fence?timeout=soon", token.text());
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("timeout=soon");
  }

  @Test
  void aRecordIsGivenOnceAndOnlyWithTheToken() throws Exception {
    UUID id = UUID.randomUUID();
    Path file = Files.writeString(RecordFile.of(folder, id), "sha256: 0");

    assertThat(post("/record?id=" + id, "").statusCode()).isEqualTo(403);
    assertThat(post("/record?id=..%2Fcontrol-token", token.text()).statusCode()).isEqualTo(400);
    assertThat(post("/record?id=" + id, token.text()).body()).isEqualTo("sha256: 0");
    assertThat(file).doesNotExist();
    assertThat(post("/record?id=" + id, token.text()).statusCode()).isEqualTo(404);
  }

  @Test
  void onlyTheUserCanReadTheToken() throws Exception {
    Path file = folder.resolve("control-token");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(ControlToken.read(folder).text()).isEqualTo(token.text());
    assertThat(token.toString()).doesNotContain(token.text());
  }

  @Test
  void aPortInUseIsNamedWithItsFix() {
    assertThatThrownBy(
            () -> StatusServer.start(server.address(), List.of(), folder, task, token, List.of()))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(server.address().toString())
        .hasMessageContaining("http:");
  }

  @Test
  void theAddressIsNotedForTheOtherCommands() {
    assertThat(StatusServer.addressOf(folder)).contains(server.address().toString());
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String path, String shown)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.noBody());
    if (!shown.isEmpty()) {
      request.header(ControlToken.HEADER, shown);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Speaks HTTP by itself: the JDK's client does not let its caller choose the host. */
  private String answerTo(String methodAndPath, String headers) throws IOException {
    try (Socket socket = new Socket(server.address().host(), server.address().port())) {
      String request =
          "%s HTTP/1.1\r\n%s\r\n%s: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
              .formatted(methodAndPath, headers, ControlToken.HEADER, token.text());
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private URI uri(String path) {
    return URI.create("http://" + server.address() + path);
  }

  private static final class FakeTask implements TaskControl {
    private volatile Runnable atStop = () -> {};
    private volatile String targetProblem;

    /** Whether the status cannot be drawn, since it waits for a server. */
    private volatile boolean mute;

    /** The number of replicated tables. */
    private volatile int tables;

    /** The number of tables of the validation; 0: there is none. */
    private volatile int validated;

    private volatile boolean stopped;
    private volatile boolean dropped;

    @Override
    public String task() {
      return "orders";
    }

    @Override
    public TaskStatus status() {
      if (mute) {
        throw new IllegalStateException("the target does not answer");
      }
      return new TaskStatus(
          "orders",
          "replicating",
          Instant.parse("2026-01-01T00:00:00Z"),
          "",
          null,
          null,
          1,
          2,
          Instant.EPOCH,
          new TaskStatus.Source("0/1", "0/2", "replication slot x", "0/1", 3L, 4, 5, 6),
          new TaskStatus.Target("0/1", "0/1", 4, 3),
          new TaskStatus.Latency(1.5, null),
          new TaskStatus.Throughput(1, 2, 3, false),
          new TaskStatus.Backlog(0, 0L),
          new TaskStatus.Memory(1, 2, 3, 4),
          new TaskStatus.Swap(3, 9, 1, 5, 4, 1),
          new TaskStatus.Journal("topic", true, 0L, 1L, 2L, 3L),
          List.of(
              new TaskStatus.Guard(
                  "source log", "fine", 5, 7L, "max_slot_wal_keep_size", 1L, 7.0, "words")),
          new WindowsStatus(7, new WindowsStatus.Last("READY", 2, 1, 5), null),
          List.of(),
          null,
          null,
          new SourceWatchStatus(
              Instant.EPOCH,
              6,
              List.of(new SourceWatchStatus.Written("shop", "item", 6)),
              List.of(),
              null),
          new FallbackStatus(
              "armed",
              Instant.EPOCH,
              null,
              250L,
              Instant.ofEpochSecond(9),
              1.5,
              7L,
              2L,
              64,
              List.of()),
          List.of(),
          List.of(),
          null,
          IntStream.rangeClosed(1, tables).mapToObj(FakeTask::table).toList(),
          new SettingsStatus(Map.of(), Map.of(), List.of(), List.of(), List.of()),
          List.of(
              new TaskStatus.Endpoint("source", true, Instant.parse("2026-01-01T00:00:00Z"), null),
              new TaskStatus.Endpoint("target", targetProblem == null, null, targetProblem)),
          validated == 0 ? null : validation());
    }

    @Override
    public Scrape scrape() {
      return new Scrape(
          status(),
          new TaskMeasurements(
              List.of("replicating", "failed"),
              Set.of(ProblemKind.DISK),
              WindowFigures.NONE
                  .with(
                      new LastWindow(CloseReason.READY, 1, 7, 5, 1, Duration.ofMillis(30)),
                      Duration.ofSeconds(2))
                  .retried(RetriedWork.CAPTURE),
              Duration.ofMillis(1500),
              new SpillCounts(4, 1),
              9,
              new LoadedRows(8, 80),
              0,
              0,
              Optional.of(Instant.ofEpochMilli(250)),
              Optional.empty()));
    }

    /** The table of number n has n inserts, and as many applied ones. */
    private static TableStatus table(int n) {
      return new TableStatus(
          "shop",
          "t" + n,
          "Table completed",
          n,
          0,
          0,
          0,
          n,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          false,
          null,
          null,
          null,
          null,
          null);
    }

    /** The table of number n has n differing rows, 2 n touched ones, and was read at second n. */
    private ValidationStatus validation() {
      return new ValidationStatus(
          null,
          1,
          1,
          1,
          null,
          0,
          IntStream.rangeClosed(1, validated)
              .mapToObj(
                  n ->
                      new ValidationStatus.Table(
                          "shop",
                          "t" + n,
                          "Mismatched records",
                          false,
                          new ValidationStatus.Pass(Instant.ofEpochSecond(n), "0/1", 1),
                          null,
                          true,
                          2L * n,
                          n,
                          0,
                          0,
                          0,
                          List.of(),
                          null))
              .toList(),
          null);
    }

    @Override
    public Outcome fence(Duration patience, boolean exceptSuspended) {
      return new Outcome(false, 0, "waited " + patience.toMillis() + " ms", List.of());
    }

    @Override
    public Outcome cutover(CutoverOrder order) {
      return new Outcome(true, 0, "", List.of());
    }

    @Override
    public Outcome rehearse(CutoverOrder order) {
      return new Outcome(true, order.budget().orElseThrow().toSeconds(), "", List.of());
    }

    @Override
    public CutoverReport cutoverReport(CutoverOrder order) {
      return new CutoverReport(
          "orders",
          order.accepted().contains("missing-grants"),
          Instant.EPOCH,
          order.timeout().toMillis() / 1000.0,
          List.copyOf(order.accepted()),
          List.of());
    }

    @Override
    public Outcome resume(List<TableId> tables) {
      return new Outcome(true, 0, "resumed " + tables, List.of());
    }

    @Override
    public Outcome reload(List<TableId> tables) {
      return new Outcome(false, 0, "nothing is changed:", List.of(tables.toString()));
    }

    @Override
    public Outcome validate(List<TableId> tables, Optional<UUID> record) {
      return new Outcome(true, 0, record.toString(), List.of());
    }

    @Override
    public Outcome repair(List<TableId> tables, boolean deleteExtra) {
      return new Outcome(true, 0, tables + " " + deleteExtra, List.of());
    }

    @Override
    public Outcome resync(List<TableId> tables, boolean deleteExtra) {
      return new Outcome(true, 0, tables + " " + deleteExtra, List.of());
    }

    @Override
    public Outcome retry() {
      return new Outcome(true, 0, "tried again", List.of());
    }

    @Override
    public Outcome tune(Map<String, String> orders) {
      return new Outcome(true, 0, "tuned", List.of(orders.toString()));
    }

    @Override
    public Outcome logging(Map<String, String> levels) {
      return new Outcome(true, 0, "logs", List.of(levels.toString()));
    }

    @Override
    public void stop(boolean drop) {
      atStop.run();
      stopped = true;
      dropped = drop;
    }
  }
}
