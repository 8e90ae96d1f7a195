package dev.sluice.bench.peer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.bench.server.ChildProcess;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Waiting;
import dev.sluice.embedded.FreePort;
import dev.sluice.engine.status.StatusJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A daemon in its own process, with its broker, that replicates one slot to one target. Ended by
 * {@code close}, or when this process ends. Owned by one thread.
 */
public final class SluiceDaemon implements AutoCloseable {
  /** The property with the archive of a start's classes, which {@code bench/run} makes. */
  public static final String ARCHIVE = "sluice.bench.archive";

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration PAGE = Duration.ofSeconds(10);

  /** The Java options of Sluice's launcher, beside the collector. */
  private static final List<String> LAUNCHER_OPTIONS =
      List.of(
          "-XX:Tier4InvocationThreshold=20000",
          "-XX:Tier4MinInvocationThreshold=2400",
          "-XX:Tier4CompileThreshold=60000",
          "-XX:Tier4BackEdgeThreshold=160000",
          "-XX:+ExitOnOutOfMemoryError");

  private static final List<String> COLLECTOR = List.of("-XX:+UseParallelGC");

  /** What the launcher takes instead for a heap of 200 to 999 MB. */
  private static final List<String> COLLECTOR_OF_A_SMALL_HEAP =
      List.of(
          "-XX:+UseSerialGC",
          "-Xms64m",
          "-XX:MaxNewSize=64m",
          "-XX:MinHeapFreeRatio=20",
          "-XX:MaxHeapFreeRatio=40");

  private static final String ARENAS_OF_A_SMALL_HEAP = "MALLOC_ARENA_MAX=2";

  private static final Pattern SMALL_HEAP = Pattern.compile("-Xmx[2-9]\\d\\dm");

  private final ChildProcess process;
  private final Path file;
  private final int port;
  private final HttpClient client = HttpClient.newHttpClient();

  private SluiceDaemon(ChildProcess process, Path file, int port) {
    this.process = process;
    this.file = file;
    this.port = port;
  }

  /**
   * A task of type {@code cdc} on a slot and a publication that exist.
   *
   * @param name of the task
   * @param tables of the schema public; a percent sign is all
   * @param settings the task-settings, in JSON or YAML on one line
   * @param javaOptions such as the size of the heap
   */
  public record Task(
      String name,
      Database source,
      Database target,
      String slot,
      String publication,
      List<String> tables,
      String settings,
      List<String> javaOptions) {

    public Task {
      tables = List.copyOf(tables);
      javaOptions = List.copyOf(javaOptions);
    }

    private String file(Path folder, int port) {
      return """
      task: %s
      migration-type: cdc
      source:
        type: postgresql
        url: postgresql://%s@127.0.0.1:%d/%s
        password: ${env:HOME}
        slot-name: %s
        take-slot: true
        publication-name: %s
      target:
        type: postgresql
        url: postgresql://%s@127.0.0.1:%d/%s
        password: ${env:HOME}
      data-dir: %s
      http: 127.0.0.1:%d
      table-mappings:
        rules:
      %s
      task-settings: %s
      """
          .formatted(
              name,
              Database.USER,
              source.port(),
              source.name(),
              slot,
              publication,
              Database.USER,
              target.port(),
              target.name(),
              folder.resolve("data"),
              port,
              rules(),
              settings);
    }

    private String rules() {
      return tables.stream()
          .map(
              table ->
                  """
                  - rule-type: selection
                    rule-id: "%1$d"
                    rule-name: "%1$d"
                    rule-action: include
                    object-locator: { schema-name: public, table-name: "%2$s" }\
                  """
                      .formatted(tables.indexOf(table) + 1, table)
                      .indent(4))
          .collect(Collectors.joining());
    }
  }

  /**
   * Starts it.
   *
   * @param folder for its task file, output and data; its own
   */
  public static SluiceDaemon start(Path folder, Task task) throws IOException {
    return start(folder, task::file, task.javaOptions());
  }

  /** Writes a task file. */
  public interface TaskText {
    /**
     * @param folder for its data
     * @param port of its status page
     */
    String of(Path folder, int port);
  }

  /**
   * Starts any task.
   *
   * @param folder for its task file, output and data; its own, or of a daemon that has ended
   */
  public static SluiceDaemon start(Path folder, TaskText task, List<String> javaOptions)
      throws IOException {
    Files.createDirectories(folder);
    int port = FreePort.find();
    Path file = Files.writeString(folder.resolve("task.yaml"), task.of(folder, port));
    return start(file, port, folder.resolve("daemon.out"), javaOptions, List.of());
  }

  /**
   * Starts the daemon of the way back of this one's task.
   *
   * @param port of its status page, as the task file has it
   */
  public SluiceDaemon startWayBack(int port, List<String> javaOptions) throws IOException {
    return start(
        file, port, file.resolveSibling("way-back.out"), javaOptions, List.of("--fallback"));
  }

  private static SluiceDaemon start(
      Path file, int port, Path output, List<String> javaOptions, List<String> options)
      throws IOException {
    List<String> command = new ArrayList<>();
    if (hasSmallHeap(javaOptions)) {
      command.addAll(List.of("env", ARENAS_OF_A_SMALL_HEAP));
    }
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(launcherOptions(javaOptions));
    command.addAll(classes());
    command.addAll(javaOptions);
    command.addAll(List.of("dev.sluice.engine.Main", "run", file.toString()));
    command.addAll(options);
    return new SluiceDaemon(
        ChildProcess.start("daemon", command, output, STOP_TIMEOUT), file, port);
  }

  /** What the launcher adds to a user's options of Java. */
  static List<String> launcherOptions(List<String> javaOptions) {
    List<String> options = new ArrayList<>(LAUNCHER_OPTIONS);
    options.addAll(hasSmallHeap(javaOptions) ? COLLECTOR_OF_A_SMALL_HEAP : COLLECTOR);
    return options;
  }

  /**
   * As the launcher takes the archive of a start's classes, with the libraries beside it; this
   * process's class path where there is none.
   */
  static List<String> classes() {
    Path archive = Path.of(System.getProperty(ARCHIVE, ""));
    return archive.toFile().length() == 0
        ? List.of("-cp", System.getProperty("java.class.path"))
        : List.of(
            "-cp",
            archive.resolveSibling("*").toString(),
            "-XX:SharedArchiveFile=" + archive,
            "-Xlog:cds=off",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:ArchiveRelocationMode=0");
  }

  private static boolean hasSmallHeap(List<String> javaOptions) {
    return javaOptions.stream().anyMatch(SMALL_HEAP.asMatchPredicate());
  }

  /** Its task file, for commands. */
  public Path taskFile() {
    return file;
  }

  /** Of its status page: host and port. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  public long pid() {
    return process.pid();
  }

  /** The status page; empty while it does not answer yet. */
  public Optional<JsonNode> status() throws InterruptedException {
    requireAlive();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/status"))
            .timeout(PAGE)
            .build();
    try {
      JsonNode page =
          StatusJson.tree(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
      return page.has("phase") ? Optional.of(page) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Waits until it follows the source. */
  public void awaitReplicating(Duration limit) throws SQLException, InterruptedException {
    awaitPhase("replicating", limit);
  }

  /** Waits until it is in a phase. */
  public void awaitPhase(String phase, Duration limit) throws SQLException, InterruptedException {
    await(
        "the daemon to be " + phase,
        limit,
        () -> status().filter(page -> page.path("phase").asText().equals(phase)).isPresent());
  }

  /**
   * Waits for a condition that this daemon brings about.
   *
   * @throws IllegalStateException if the daemon ends, or the condition does not hold within the
   *     limit
   */
  public void await(String what, Duration limit, Waiting.Condition condition)
      throws SQLException, InterruptedException {
    try {
      Waiting.until(
          what,
          limit,
          () -> {
            requireAlive();
            return condition.holds();
          });
    } catch (IllegalStateException e) {
      throw new IllegalStateException(e.getMessage() + process.lastLines(), e);
    }
  }

  /**
   * @throws IllegalStateException where the daemon has ended, with what it printed last
   */
  public void requireAlive() {
    process.requireAlive();
  }

  /**
   * Waits until it ends by itself, with success.
   *
   * @throws IllegalStateException if it does not
   */
  public void awaitEnd(Duration limit) throws InterruptedException {
    process.requireSuccess(limit);
  }

  /** Ends it with SIGTERM, and by force if that takes longer than a minute. */
  @Override
  public void close() {
    process.close();
  }
}
