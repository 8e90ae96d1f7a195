package dev.sluice.engine.status;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.ExternalOrigin;
import dev.sluice.config.task.HttpAddress;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * The daemon's HTTP server: {@code GET /status} as JSON, {@code /health} and {@code /ready} for
 * probes, and {@code GET /metrics} for Prometheus or in the form of OpenMetrics; the commands by
 * {@code POST}, with {@code /token}, which does nothing. Others may add paths to read ({@link
 * ReadPath}). The {@link RequestGuard} lets requests through. Its own threads only read the task or
 * call its {@link TaskControl}.
 */
public final class StatusServer implements AutoCloseable {
  private static final String ADDRESS_FILE = "http-address";
  private static final String ORIGIN_FILE = "http-origin";

  /** The answer to a request with a valid token. */
  private static final Answer ACCEPTED =
      new Answer(200, StatusJson.write(Map.of("accepted", true)));

  private final HttpServer server;
  private final ExecutorService threads;
  private final TaskControl task;
  private final MetricsPage metrics;

  private StatusServer(HttpServer server, TaskControl task) {
    this.server = server;
    this.task = task;
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
    StatusServer started = new StatusServer(server, task);
    server.setExecutor(started.threads);
    RequestGuard guard = new RequestGuard(address, externals, token);
    started.open(guard, dataDirectory);
    others.forEach(other -> server.createContext(other.path(), guard.read(other.answer())));
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

  private void open(RequestGuard guard, Path dataDirectory) {
    server.createContext("/status", guard.read(json(() -> StatusJson.write(task.status()))));
    server.createContext("/metrics", guard.read(this::metrics));
    server.createContext("/health", guard.read(json(this::health)));
    server.createContext("/ready", guard.read(this::ready));
    server.createContext("/record", new RecordDownload(guard, dataDirectory).handler());
    commands().forEach((path, command) -> server.createContext(path, guard.post(command)));
  }

  private Map<String, RequestGuard.Command> commands() {
    TaskAnswers answers = new TaskAnswers(task);
    return Map.ofEntries(
        Map.entry("/fence", answers::fence),
        Map.entry("/cutover", answers::cutover),
        Map.entry("/rehearse", answers::rehearse),
        Map.entry("/cutover-report", answers::cutoverReport),
        Map.entry("/tune", answers::tune),
        Map.entry("/logging", answers::logging),
        Map.entry("/resume", answers::resume),
        Map.entry("/reload", answers::reload),
        Map.entry("/validate", answers::validate),
        Map.entry("/repair", answers::repair),
        Map.entry("/resync", answers::resync),
        Map.entry("/retry", answers::retry),
        Map.entry("/stop", answers::stop),
        Map.entry("/token", query -> ACCEPTED));
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

  /** All current metrics. May be called from any thread. */
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

  /** The answer of /health, as long as the process runs. */
  private String health() {
    return StatusJson.write(Map.of("alive", true, "phase", task.status().phase()));
  }

  private void metrics(HttpExchange exchange) throws IOException {
    List<String> accepted = exchange.getRequestHeaders().getOrDefault("Accept", List.of());
    MetricsPage.Page page = metrics.page(String.join(",", accepted));
    RequestGuard.send(exchange, new Answer(200, page.text()), page.type());
  }

  private static ReadPath.Handling json(Supplier<String> text) {
    return exchange -> RequestGuard.send(exchange, new Answer(200, text.get()), RequestGuard.JSON);
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
    RequestGuard.send(exchange, new Answer(reasons.isEmpty() ? 200 : 503, text), RequestGuard.JSON);
  }
}
