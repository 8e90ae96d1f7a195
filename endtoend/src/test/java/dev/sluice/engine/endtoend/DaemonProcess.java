package dev.sluice.engine.endtoend;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.RarerPolls;
import dev.sluice.engine.command.CommandLines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.pollinterval.FixedPollInterval;
import org.awaitility.pollinterval.PollInterval;

/**
 * The daemon as a user runs it: a separate Java process with {@code run TASK.yaml}. Its output goes
 * to a file beside the task file.
 */
final class DaemonProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** The timeout of every wait: long, since only a failure reaches it. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** The port on which a daemon waits for a debugger; none if not set. */
  private static final Integer DEBUG_PORT = Integer.getInteger("sluice.debug.port");

  private static final Pattern HTTP = Pattern.compile("(?m)^http: (\\S+)");

  /** In the section of the way back. */
  private static final Pattern BACK_HTTP = Pattern.compile("(?m)^  http: (\\S+)");

  private final Path taskFile;
  private final Path output;
  private final Process process;
  private final boolean back;

  private DaemonProcess(Path taskFile, Path output, Process process, boolean back) {
    this.taskFile = taskFile;
    this.output = output;
    this.process = process;
    this.back = back;
  }

  static DaemonProcess run(Path taskFile, String... javaOptions) throws IOException {
    Path output = taskFile.resolveSibling("daemon.out");
    return new DaemonProcess(
        taskFile, output, start(output, List.of("run", taskFile.toString()), javaOptions), false);
  }

  /** The daemon of another build, whose libraries are in a folder. */
  static DaemonProcess runOlder(Path taskFile, Path libraries) throws IOException {
    Path output = taskFile.resolveSibling("older.out");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-cp",
                libraries.resolve("*").toString(),
                "dev.sluice.engine.Main",
                "run",
                taskFile.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start();
    return new DaemonProcess(taskFile, output, process, false);
  }

  /** The daemon of the way back. */
  static DaemonProcess runFallback(Path taskFile) throws IOException {
    Path output = taskFile.resolveSibling("fallback.out");
    return new DaemonProcess(
        taskFile, output, start(output, List.of("run", taskFile.toString(), "--fallback")), true);
  }

  /** Runs another command to its end and returns exit code and output. */
  static Finished command(String... arguments) throws IOException, InterruptedException {
    Path output = Files.createTempFile("sluice-command", ".out");
    Process process = start(output, List.of(arguments));
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(
            String.join(" ", arguments) + " does not end:\n" + Files.readString(output));
      }
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(output);
    Files.delete(output);
    return new Finished(process.exitValue(), text);
  }

  /**
   * The same within this process, which saves a start of Java. Not for commands that keep running,
   * and for one thread at a time: it redirects this process's output.
   */
  static Finished commandHere(String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (PrintStream both = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      System.setOut(both);
      System.setErr(both);
      return new Finished(CommandLines.run(arguments), text.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  /** A command of the command line, as a process whose output is appended to a file. */
  static Process start(Path output, List<String> arguments, String... javaOptions)
      throws IOException {
    return new ProcessBuilder(javaCommand(arguments, javaOptions))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
        .start();
  }

  /** The program and the arguments of a command of the command line. */
  static List<String> javaCommand(List<String> arguments, String... javaOptions)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of(javaOptions.length == 0 ? new String[] {"-Xmx512m"} : javaOptions));
    if (DEBUG_PORT != null && arguments.get(0).equals("run")) {
      command.add(
          "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:" + DEBUG_PORT);
    }
    command.addAll(SharedClasses.options());
    command.addAll(SharedClasses.serverFolders());
    command.add("dev.sluice.engine.Main");
    command.addAll(arguments);
    return command;
  }

  /**
   * Reads the status page without a process of the command line, since it is polled.
   *
   * @throws IOException if the daemon does not answer with the page
   */
  JsonNode status() throws IOException, InterruptedException {
    HttpResponse<String> answer = get("/status");
    if (answer.statusCode() != 200) {
      throw new IOException("status is " + answer.statusCode() + ": " + answer.body());
    }
    return JSON.readTree(answer.body());
  }

  /** The HTTP status with which a page answers. */
  int answerOf(String page) throws IOException, InterruptedException {
    return get(page).statusCode();
  }

  private HttpResponse<String> get(String page) throws IOException, InterruptedException {
    return CLIENT.send(
        HttpRequest.newBuilder(URI.create("http://" + address() + page))
            .timeout(Duration.ofMinutes(2))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Host and port of its pages, as the task file has them. */
  String address() throws IOException {
    Matcher address = (back ? BACK_HTTP : HTTP).matcher(Files.readString(taskFile));
    if (!address.find()) {
      throw new AssertionError(taskFile + " has no http address");
    }
    return address.group(1);
  }

  /** Waits for a phase that lasts until a test ends it. */
  void awaitPhase(String phase) {
    awaitPhase(phase, RarerPolls.OF_A_STATUS);
  }

  /** Waits for a phase that may end by itself soon. */
  void awaitPassingPhase(String phase) {
    awaitPhase(phase, new FixedPollInterval(Duration.ofMillis(100)));
  }

  private void awaitPhase(String phase, PollInterval polls) {
    await("phase " + phase)
        .atMost(PATIENCE)
        .pollInterval(polls)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              requireAlive();
              return status().path("phase").asText().equals(phase);
            });
  }

  /** Waits until this process has put as many transactions with changes into the journal. */
  void awaitJournaled(long transactions) {
    await(transactions + " transactions in the journal")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              requireAlive();
              return status().path("source").path("transactions").asLong() >= transactions;
            });
  }

  /**
   * Runs a daemon while nothing can be inserted into a table of the target, and kills it once the
   * journal has as many transactions more.
   */
  static void killAhead(Path taskFile, Connection target, String table, long transactions)
      throws Exception {
    target.setAutoCommit(false);
    try (Statement hold = target.createStatement()) {
      hold.execute("LOCK TABLE " + table + " IN EXCLUSIVE MODE");
      try (DaemonProcess daemon = run(taskFile)) {
        daemon.awaitJournaled(transactions);
        daemon.kill();
      }
    } finally {
      target.rollback();
      target.setAutoCommit(true);
    }
  }

  /** Waits until everything committed on the source before is on the target. */
  void awaitAllApplied() {
    awaitAllApplied(PATIENCE);
  }

  void awaitAllApplied(Duration patience) {
    awaitAllApplied(patience, 0);
  }

  /** The same, except for changes of suspended tables and rejected changes. */
  void awaitAllAppliedButNamed() {
    awaitAllApplied(PATIENCE, 5);
  }

  private void awaitAllApplied(Duration patience, int exitCode) {
    List<String> wait = new ArrayList<>();
    wait.addAll(List.of("wait", taskFile.toString()));
    wait.addAll(List.of("--timeout", Long.toString(patience.toSeconds())));
    if (back) {
      wait.add("--fallback");
    }
    Finished finished = commandHere(wait.toArray(String[]::new));
    if (finished.exitCode() != exitCode) {
      throw new AssertionError(
          "wait ends with " + finished.exitCode() + ":\n" + finished.output() + "\n" + output());
    }
  }

  /** The process's peak memory, on Linux; elsewhere unknown. */
  String peakResident() throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    if (!Files.exists(status)) {
      return "unknown";
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .map(line -> line.substring("VmHWM:".length()).strip())
        .findFirst()
        .orElse("unknown");
  }

  boolean isAlive() {
    return process.isAlive();
  }

  private void requireAlive() throws IOException {
    if (!process.isAlive()) {
      throw new AssertionError("the daemon ended with " + process.exitValue() + ":\n" + output());
    }
  }

  /** Kills it with SIGKILL. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Stops it with SIGSTOP, so that it does nothing until {@link #thaw}. */
  void freeze() throws IOException, InterruptedException {
    signal(process, "STOP");
  }

  /** Lets it go on with SIGCONT. */
  void thaw() throws IOException, InterruptedException {
    signal(process, "CONT");
  }

  static void signal(Process process, String name) throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new AssertionError("process " + process.pid() + " cannot be sent " + name);
    }
  }

  /** Ends it with SIGTERM; returns the exit code. */
  int terminate() throws InterruptedException {
    process.destroy();
    return awaitEnd();
  }

  int awaitEnd() throws InterruptedException {
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the daemon does not end:\n" + output());
    }
    return process.exitValue();
  }

  String output() {
    try {
      String text = Files.readString(output);
      return text.substring(Math.max(0, text.length() - 20_000));
    } catch (IOException e) {
      return "no output: " + e;
    }
  }

  /** Kills it, and waits: its files are deleted next. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }

  /** The result of a command. */
  record Finished(int exitCode, String output) {}
}
