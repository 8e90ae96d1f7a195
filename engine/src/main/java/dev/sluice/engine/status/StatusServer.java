package dev.sluice.engine.status;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.ExternalOrigin;
import dev.sluice.config.task.HttpAddress;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon's HTTP server: {@code GET /status} as JSON, {@code /health} and {@code /ready} for
 * probes, and {@code GET /metrics} for Prometheus or in the form of OpenMetrics; {@code POST
 * /fence}, {@code /cutover}, {@code /cutover-report}, {@code /resume}, {@code /reload}, {@code
 * /repair}, {@code /resync}, {@code /validate}, {@code /record}, {@code /tune}, {@code /logging},
 * {@code /retry}, {@code /stop} and {@code /token}, which does nothing, must carry the {@link
 * ControlToken}. Others may add paths to read ({@link ReadPath}). No request may come from a web
 * page of elsewhere ({@link RequestOrigin}), and no answer lets a browser load anything from
 * elsewhere ({@link BrowserRules}). Its own threads only read the task or call its {@link
 * TaskControl}.
 */
public final class StatusServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StatusServer.class);

  private static final String ADDRESS_FILE = "http-address";
  private static final String ORIGIN_FILE = "http-origin";
  private static final String JSON = "application/json; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  /** Whoever reads this has shown the token. */
  private static final Answer ACCEPTED =
      new Answer(200, StatusJson.write(Map.of("accepted", true)));

  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(7);

  private final HttpServer server;
  private final HttpAddress configured;
  private final List<ExternalOrigin> externals;
  private final ExecutorService threads;
  private final TaskControl task;
  private final ControlToken token;
  private final MetricsPage metrics;

  private StatusServer(
      HttpServer server,
      HttpAddress configured,
      List<ExternalOrigin> externals,
      TaskControl task,
      ControlToken token) {
    this.server = server;
    this.configured = configured;
    this.externals = List.copyOf(externals);
    this.task = task;
    this.token = token;
    this.metrics = new MetricsPage(task.task(), task::scrape);
    this.threads =
        Executors.newCachedThreadPool(
            work -> {
              Thread thread = new Thread(work, "sluice-http");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Opens the port, writes its address into the data directory, and starts to answer.
   *
   * @param externals where browsers reach it through a proxy with TLS
   * @param others paths that another package answers
   * @throws SluiceException.Fatal if the port is in use or the host is not this machine's
   */
  public static StatusServer start(
      HttpAddress address,
      List<ExternalOrigin> externals,
      Path dataDirectory,
      TaskControl task,
      ControlToken token,
      List<ReadPath> others) {
    HttpServer server = listen(address);
    StatusServer started = new StatusServer(server, address, externals, task, token);
    server.setExecutor(started.threads);
    server.createContext("/status", started.get(JSON, () -> StatusJson.write(task.status())));
    server.createContext("/metrics", started.read(started::metrics));
    server.createContext("/health", started.get(JSON, started::health));
    server.createContext("/ready", started.read(started::ready));
    server.createContext("/fence", started.post(started::fence));
    server.createContext("/cutover", started.post(started::cutover));
    server.createContext("/rehearse", started.post(started::rehearse));
    server.createContext("/cutover-report", started.post(started::cutoverReport));
    server.createContext("/tune", started.post(query -> Answer.of(task.tune(query))));
    server.createContext("/logging", started.post(query -> Answer.of(task.logging(query))));
    server.createContext("/resume", started.post(query -> Answer.of(task.resume(tables(query)))));
    server.createContext("/reload", started.post(query -> Answer.of(task.reload(tables(query)))));
    server.createContext("/validate", started.post(started::validate));
    server.createContext("/record", started.record(dataDirectory));
    server.createContext("/repair", started.post(started::repair));
    server.createContext("/resync", started.post(started::resync));
    server.createContext("/retry", started.post(query -> Answer.of(task.retry())));
    server.createContext("/stop", started.post(started::stop));
    server.createContext("/token", started.post(query -> ACCEPTED));
    others.forEach(other -> server.createContext(other.path(), started.read(other.answer())));
    server.start();
    try {
      Files.writeString(dataDirectory.resolve(ADDRESS_FILE), started.address().toString());
      if (externals.isEmpty()) {
        Files.deleteIfExists(dataDirectory.resolve(ORIGIN_FILE));
      } else {
        Files.writeString(dataDirectory.resolve(ORIGIN_FILE), externals.get(0).text());
      }
    } catch (IOException e) {
      started.close();
      throw new SluiceException.Fatal(
          "the address of the status page cannot be written to " + dataDirectory + ": " + e, e);
    }
    return started;
  }

  private static HttpServer listen(HttpAddress address) {
    try {
      return HttpServer.create(new InetSocketAddress(address.host(), address.port()), 16);
    } catch (IOException | RuntimeException e) {
      throw new SluiceException.Fatal(taken(address, e));
    }
  }

  /** Why a daemon could not listen at the address now; empty if it could. */
  public static Optional<Problem> problem(HttpAddress address) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(address.host(), address.port()));
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      return Optional.of(taken(address, e));
    }
  }

  private static Problem taken(HttpAddress address, Exception why) {
    return new Problem(
        "http " + address,
        "cannot be listened on: " + why.getMessage(),
        "a free port of this machine for the status page",
        "End the program that listens there, or set another port under http: in the task file");
  }

  /** The address for clients of this machine. */
  public HttpAddress address() {
    return reachable(server.getAddress());
  }

  /** The address of a data directory's last daemon: {@code host:port}. */
  public static Optional<String> addressOf(Path dataDirectory) {
    return read(dataDirectory.resolve(ADDRESS_FILE));
  }

  /**
   * Where browsers reach the page of a data directory's last daemon through a proxy, if they do.
   */
  public static Optional<String> externalOriginOf(Path dataDirectory) {
    return read(dataDirectory.resolve(ORIGIN_FILE));
  }

  private static Optional<String> read(Path file) {
    try {
      return Optional.of(Files.readString(file));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The bound address; loopback if the server listens on all addresses. */
  private static HttpAddress reachable(InetSocketAddress bound) {
    String host =
        bound.getAddress().isAnyLocalAddress()
            ? InetAddress.getLoopbackAddress().getHostAddress()
            : bound.getAddress().getHostAddress();
    return new HttpAddress(host, bound.getPort());
  }

  /** Every metric of the page, taken now. Any thread. */
  public MetricSnapshots scrape() {
    return metrics.scrape();
  }

  /** The release of the daemon. */
  public static String version() {
    return MetricsPage.version();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  /** Answers as long as the process runs. */
  private String health() {
    return StatusJson.write(Map.of("alive", true, "phase", task.status().phase()));
  }

  private void metrics(HttpExchange exchange) throws IOException {
    List<String> accepted = exchange.getRequestHeaders().getOrDefault("Accept", List.of());
    MetricsPage.Page page = metrics.page(String.join(",", accepted));
    send(exchange, new Answer(200, page.text()), page.type());
  }

  /** Answers 200 if the task works and all servers answer. */
  private void ready(HttpExchange exchange) throws IOException {
    TaskStatus status = task.status();
    List<String> reasons = status.notReady();
    String text =
        StatusJson.write(
            Map.of(
                "ready",
                reasons.isEmpty(),
                "phase",
                status.phase(),
                "reasons",
                reasons,
                "endpoints",
                status.endpoints()));
    send(exchange, new Answer(reasons.isEmpty() ? 200 : 503, text), JSON);
  }

  private Answer fence(Map<String, String> query) throws InterruptedException {
    boolean exceptSuspended = Boolean.parseBoolean(query.getOrDefault("except-suspended", "false"));
    return Answer.of(task.fence(timeout(query), exceptSuspended));
  }

  private Answer cutover(Map<String, String> query) throws InterruptedException {
    return Answer.of(task.cutover(order(query)));
  }

  private Answer rehearse(Map<String, String> query) throws InterruptedException {
    return Answer.of(task.rehearse(order(query)));
  }

  private static CutoverOrder order(Map<String, String> query) {
    Optional<Duration> budget =
        query.containsKey("budget") ? Optional.of(seconds(query, "budget", "")) : Optional.empty();
    Set<String> accepted = accepted(query);
    List<Problem> problems =
        CutoverOrder.problems(
            budget.isPresent()
                ? OptionalDouble.of(budget.get().toMillis() / 1000.0)
                : OptionalDouble.empty(),
            accepted);
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(
          problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    }
    return new CutoverOrder(timeout(query), budget, accepted);
  }

  private Answer cutoverReport(Map<String, String> query) throws InterruptedException {
    try {
      return new Answer(200, StatusJson.write(task.cutoverReport(order(query))));
    } catch (SluiceException e) {
      return new Answer(503, error("no report can be made now: " + e.getMessage()));
    }
  }

  /** The kinds of choices that are accepted, divided by commas. */
  private static Set<String> accepted(Map<String, String> query) {
    return Arrays.stream(query.getOrDefault("accept", "").split(","))
        .filter(kind -> !kind.isEmpty())
        .collect(Collectors.toSet());
  }

  private Answer validate(Map<String, String> query) throws InterruptedException {
    Map<String, String> names = new HashMap<>(query);
    Optional<UUID> record = Optional.ofNullable(names.remove("record")).map(UUID::fromString);
    return Answer.of(task.validate(names.isEmpty() ? List.of() : tables(names), record));
  }

  private Answer repair(Map<String, String> query) throws InterruptedException {
    Map<String, String> names = new HashMap<>(query);
    boolean deleteExtra = Boolean.parseBoolean(names.remove("delete-extra"));
    return Answer.of(task.repair(names.isEmpty() ? List.of() : tables(names), deleteExtra));
  }

  private Answer resync(Map<String, String> query) throws InterruptedException {
    Map<String, String> names = new HashMap<>(query);
    boolean deleteExtra = Boolean.parseBoolean(names.remove("delete-extra"));
    return Answer.of(task.resync(tables(names), deleteExtra));
  }

  private Answer stop(Map<String, String> query) {
    boolean drop = Boolean.parseBoolean(query.getOrDefault("drop", "false"));
    String text = StatusJson.write(Map.of("stopping", true, "drop", drop));
    return new Answer(202, text, () -> task.stop(drop));
  }

  /** The tables: each parameter's name is a table's name. */
  private static List<TableId> tables(Map<String, String> query) {
    if (query.isEmpty()) {
      throw new IllegalArgumentException("found no table; expected ?SCHEMA.TABLE&SCHEMA.TABLE");
    }
    return query.keySet().stream().map(TableId::parse).sorted().toList();
  }

  private static Duration timeout(Map<String, String> query) {
    return seconds(query, "timeout", "60");
  }

  private static Duration seconds(Map<String, String> query, String name, String unsaid) {
    String text = query.getOrDefault(name, unsaid);
    double seconds;
    try {
      seconds = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + "=" + text + ", expected seconds", e);
    }
    if (!(seconds >= 0) || seconds > LONGEST_TIMEOUT.toSeconds()) {
      throw new IllegalArgumentException(
          name + "=" + text + ", expected seconds from 0 to " + LONGEST_TIMEOUT.toSeconds());
    }
    return Duration.ofMillis(Math.round(seconds * 1000));
  }

  private HttpHandler get(String type, Page page) {
    return read(exchange -> send(exchange, new Answer(200, page.text()), type));
  }

  private HttpHandler read(ReadPath.Handling handling) {
    return guarded(
        exchange -> {
          if (exchange.getRequestMethod().equals("GET")) {
            handling.handle(exchange);
          } else {
            send(exchange, new Answer(405, error("GET expected")), JSON);
          }
        });
  }

  private HttpHandler post(Command command) {
    return guarded(
        exchange -> {
          if (mayCommand(exchange)) {
            Answer answer = command.run(QueryString.parse(exchange.getRequestURI()));
            try {
              send(exchange, answer, JSON);
              exchange.close();
            } finally {
              answer.then().run();
            }
          }
        });
  }

  /** Answers a request that is no POST or without the token, and returns false. */
  private boolean mayCommand(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) {
      send(exchange, new Answer(405, error("POST expected")), JSON);
      return false;
    }
    if (!token.matches(exchange.getRequestHeaders().getFirst(ControlToken.HEADER))) {
      send(exchange, new Answer(403, error(ControlToken.HEADER + " is missing or wrong")), JSON);
      return false;
    }
    return true;
  }

  /** Gives the record of a validation, once: it has keys of rows, and is deleted here. */
  private HttpHandler record(Path dataDirectory) {
    return guarded(
        exchange -> {
          if (!mayCommand(exchange)) {
            return;
          }
          String id = QueryString.parse(exchange.getRequestURI()).getOrDefault("id", "");
          Path file = RecordFile.of(dataDirectory, UUID.fromString(id));
          if (!Files.exists(file)) {
            send(exchange, new Answer(404, error("there is no record " + id)), JSON);
            return;
          }
          try {
            exchange.getResponseHeaders().set("Content-Type", TEXT);
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            exchange.sendResponseHeaders(200, Files.size(file));
            Files.copy(file, exchange.getResponseBody());
          } finally {
            Files.deleteIfExists(file);
          }
        });
  }

  private static RequestOrigin origin(HttpExchange exchange) {
    Headers headers = exchange.getRequestHeaders();
    return new RequestOrigin(
        headers.getOrDefault("Host", List.of()), headers.getOrDefault("Origin", List.of()));
  }

  /** Refuses a web page of elsewhere; answers and logs an error: the server continues. */
  private HttpHandler guarded(ReadPath.Handling handling) {
    return exchange -> {
      try (exchange) {
        try {
          // A context also receives longer paths that begin with its own.
          String path = exchange.getRequestURI().getPath();
          BrowserRules.set(exchange.getResponseHeaders());
          Optional<String> foreign = origin(exchange).problem(configured, externals);
          if (foreign.isPresent()) {
            refuse(exchange, foreign.get());
          } else if (path.equals(exchange.getHttpContext().getPath())) {
            handling.handle(exchange);
          } else {
            send(exchange, new Answer(404, error("no page " + path)), JSON);
          }
        } catch (IllegalArgumentException e) {
          send(exchange, new Answer(400, error(e.getMessage())), JSON);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          send(exchange, new Answer(503, error("the daemon is ending")), JSON);
        } catch (RuntimeException | Error e) {
          LOG.warn("{} fails: {}", exchange.getRequestURI().getPath(), e.toString(), e);
          send(exchange, new Answer(500, error(e.toString())), JSON);
        }
      }
    };
  }

  /** Sluice's clients read JSON after a command; whoever reads a page reads text. */
  private static void refuse(HttpExchange exchange, String why) throws IOException {
    if (exchange.getRequestMethod().equals("POST")) {
      send(exchange, new Answer(403, error(why)), JSON);
    } else {
      send(exchange, new Answer(403, why + "\n"), TEXT);
    }
  }

  private static String error(String message) {
    return StatusJson.write(new Refusal(message));
  }

  private static void send(HttpExchange exchange, Answer answer, String type) throws IOException {
    ReadPath.send(exchange, answer.code(), type, answer.text().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * @param then run after the answer is sent, since the end of the task also closes this server
   */
  private record Answer(int code, String text, Runnable then) {
    Answer(int code, String text) {
      this(code, text, () -> {});
    }

    static Answer of(TaskControl.Outcome outcome) {
      return new Answer(outcome.success() ? 200 : 409, StatusJson.write(outcome));
    }
  }

  private interface Page {
    String text();
  }

  private interface Command {
    Answer run(Map<String, String> query) throws InterruptedException;
  }
}
