package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.task.HttpAddress;
import dev.sluice.engine.context.RecentWindows;
import dev.sluice.engine.status.ControlToken;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.engine.status.StatusServer;
import dev.sluice.sink.window.policy.CloseReason;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusPageTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Path FILES = Path.of("src/main/resources/dev/sluice/engine/page");

  @TempDir Path folder;

  private final HttpClient client = HttpClient.newHttpClient();
  private final StandingTask task = new StandingTask(StandingTask.healthy());
  private final List<Socket> sockets = new ArrayList<>();
  private StatusPage page;
  private StatusServer server;

  @BeforeEach
  void start() {
    page = StatusPage.start(folder, task, Clock.systemUTC());
    server =
        StatusServer.start(
            new HttpAddress("127.0.0.1", 0),
            List.of(),
            folder,
            task,
            ControlToken.create(folder),
            page.paths());
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.close();
    page.close();
  }

  @Test
  void thePageIsHtmlThatLoadsNothingFromElsewhere() throws Exception {
    HttpResponse<String> answer = get("/");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).startsWith("<!doctype html>");
    for (String path :
        List.of("/", "/page/main.js", "/history", "/status", "/metrics", "/nothing")) {
      Map<String, List<String>> headers = get(path).headers().map();
      assertThat(headers.get("content-security-policy"))
          .as(path)
          .singleElement()
          .asString()
          .startsWith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
          .contains("frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(headers.get("x-content-type-options")).as(path).containsExactly("nosniff");
      assertThat(headers.get("referrer-policy")).as(path).containsExactly("no-referrer");
      assertThat(headers.get("cache-control")).as(path).containsExactly("no-store");
    }
  }

  @Test
  void everyFileOfTheFolderIsServedWithItsTypeAndNoOther() throws Exception {
    try (Stream<Path> files = Files.list(FILES)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(PageFile.NAMES);
    }
    for (PageFile file : PageFile.all()) {
      HttpResponse<String> answer = get(file.path());
      assertThat(answer.statusCode()).as(file.path()).isEqualTo(200);
      assertThat(answer.headers().firstValue("content-type")).hasValue(file.type());
    }
    assertThat(get("/page/main.js").headers().firstValue("content-type"))
        .hasValue("text/javascript; charset=utf-8");
  }

  @Test
  void whatTheFilesReferToIsThere() throws Exception {
    Pattern reference = Pattern.compile("(?:href|src)=\"(page/[^\"]+)\"|from '\\./([^']+)'");
    int found = 0;
    for (PageFile file : PageFile.all()) {
      Matcher matcher = reference.matcher(new String(file.content(), StandardCharsets.UTF_8));
      while (matcher.find()) {
        String path = matcher.group(1) != null ? matcher.group(1) : "page/" + matcher.group(2);
        assertThat(get("/" + path).statusCode()).as(path).isEqualTo(200);
        found++;
      }
    }
    assertThat(found).isGreaterThan(30);
  }

  @Test
  void noPathLeadsToAnotherFile() throws Exception {
    Files.writeString(folder.resolve("secret"), "secret");
    for (String path :
        List.of(
            "/page",
            "/page/",
            "/page/index.html",
            "/index.html",
            "/page/../control-token",
            "/page/..%2f..%2fcontrol-token",
            "/page/%2e%2e/%2e%2e/etc/passwd",
            "/../../../../etc/passwd",
            "/page/main.js/../../control-token",
            "/page/main.js%00.html",
            "/page/package-info.class",
            "/page/StatusPage.class",
            "//etc/passwd",
            "/control-token",
            "/history.json")) {
      assertThat(answerTo("GET " + path, "127.0.0.1"))
          .as(path)
          .matches("(?s)HTTP/1.1 (404|400) .*")
          .doesNotContain("root:")
          .doesNotContain(ControlToken.read(folder).text());
    }
  }

  @Test
  void thePageIsReadUnderNoNameThatAnyoneMayPointHere() throws Exception {
    for (String path : List.of("/", "/page/main.js", "/history", "/events", "/nothing")) {
      assertThat(answerTo("GET " + path, "evil.example"))
          .as(path)
          .startsWith("HTTP/1.1 403 ")
          .doesNotContain("shop-migration");
    }
    assertThat(answerTo("POST /", "127.0.0.1")).startsWith("HTTP/1.1 405 ");
    assertThat(answerTo("POST /events", "127.0.0.1")).startsWith("HTTP/1.1 405 ");
  }

  @Test
  void eventsGiveSamplesOfTheStatus() throws Exception {
    try (BufferedReader events = events()) {
      String line = events.readLine();
      while (!line.startsWith("data: ")) {
        line = events.readLine();
      }
      JsonNode sample = StatusJson.tree(line.substring("data: ".length()));
      assertThat(sample.get("at").asLong()).isPositive();
      assertThat(sample.get("target_latency_seconds").asDouble()).isEqualTo(0.3);
      assertThat(sample.get("backlog_changes").asLong()).isEqualTo(1400);
      assertThat(sample.get("source_log_hours_left").asDouble()).isEqualTo(412);
      assertThat(sample.get("kafka_disk_hours_left").isNull()).isTrue();
    }
  }

  @Test
  void onlySoManyClientsGetLiveUpdatesAndAPlaceIsFreeAgain() throws Exception {
    List<BufferedReader> open = new ArrayList<>();
    for (int i = 0; i < LiveUpdates.MOST_CLIENTS; i++) {
      open.add(events());
      assertThat(open.get(i).readLine()).isEqualTo("HTTP/1.1 200 OK");
    }
    BufferedReader refused = events();
    assertThat(refused.readLine()).startsWith("HTTP/1.1 503 ");
    assertThat(refused.lines()).anyMatch(line -> line.endsWith("ask for /status instead"));
    assertThat(get("/status").statusCode()).isEqualTo(200);

    sockets.get(0).close();
    // The next samples find it gone.
    await().atMost(LONG).until(() -> page.updates().size() < LiveUpdates.MOST_CLIENTS);
    assertThat(events().readLine()).isEqualTo("HTTP/1.1 200 OK");
  }

  @Test
  void theHistoryOutlivesTheDaemon() throws Exception {
    await().atMost(LONG).until(() -> times("15m").size() > 0);
    long first = times("15m").get(0).asLong();
    stop();
    task.become(StandingTask.ofEveryKind());
    start();

    assertThat(times("15m").get(0).asLong()).isEqualTo(first);
    for (String span : List.of("1h", "6h", "24h")) {
      assertThat(times(span)).as(span).isNotEmpty();
    }
  }

  @Test
  void windowsAreGivenWithWhatTheyCostAndOnlyThoseThatAreNotKnown() throws Exception {
    WindowScript windows = new WindowScript(task.windows());
    windows.applied(CloseReason.READY, 1200, 900);
    windows.applied(CloseReason.BARRIER, 0, 0);
    JsonNode all = StatusJson.tree(get("/windows").body());
    assertThat(all.get("most").asInt()).isEqualTo(RecentWindows.MOST);
    JsonNode first = all.get("windows").get(0);
    assertThat(first.get("number").asLong()).isEqualTo(1);
    assertThat(first.get("reason").asText()).isEqualTo("READY");
    assertThat(first.get("lane").asText()).isEqualTo("main");
    assertThat(first.get("changes").asLong()).isEqualTo(1200);
    assertThat(first.get("net_changes").asLong()).isEqualTo(900);
    assertThat(first.get("bytes").asLong()).isEqualTo(1200 * 200);
    assertThat(first.get("apply_seconds").asDouble()).isEqualTo(0.12);
    assertThat(first.get("stages").get("insert").asDouble()).isEqualTo(0.09);
    assertThat(first.get("stages").has("delete")).isFalse();

    JsonNode later = StatusJson.tree(get("/windows?after=1").body()).get("windows");
    assertThat(later).hasSize(1);
    assertThat(later.get(0).get("reason").asText()).isEqualTo("BARRIER");
    assertThat(StatusJson.tree(get("/windows?after=2").body()).get("windows")).isEmpty();
    for (String wrong : List.of("x", "-1", "99999999999999999999")) {
      HttpResponse<String> refused = get("/windows?after=" + wrong);
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("found after=" + wrong + "; expected the number");
    }
  }

  @Test
  void aSpanThatIsNotKeptIsNamed() throws Exception {
    HttpResponse<String> answer = get("/history?span=3d");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("found span=3d; expected one of 15m, 1h, 6h, 24h");
  }

  private JsonNode times(String span) throws IOException, InterruptedException {
    return StatusJson.tree(get("/history?span=" + span).body()).get("at");
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://" + server.address() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private BufferedReader events() throws IOException {
    Socket socket = new Socket(server.address().host(), server.address().port());
    sockets.add(socket);
    request(socket, "GET /events", "127.0.0.1");
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Speaks HTTP by itself: the JDK's client neither lets its caller choose the host nor the path.
   */
  private String answerTo(String methodAndPath, String host) throws IOException {
    try (Socket socket = new Socket(server.address().host(), server.address().port())) {
      request(socket, methodAndPath, host);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void request(Socket socket, String methodAndPath, String host) throws IOException {
    socket
        .getOutputStream()
        .write(
            "%s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                .formatted(methodAndPath, host)
                .getBytes(StandardCharsets.US_ASCII));
  }
}
