package dev.sluice.embedded.mariadb;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A process of {@code mariadbd} or {@code mysqld}. A second process ends it when this JVM ends,
 * also by {@code kill -9}: it waits for the end of a pipe that only this JVM holds. Used by one
 * thread.
 */
final class ServerProcess {
  private static final Duration STOP_TIMEOUT = Duration.ofMinutes(2);
  private static final String LOG = "server.log";

  private final Process server;
  private final Process watchdog;
  private final Path log;

  private ServerProcess(Process server, Process watchdog, Path log) {
    this.server = server;
    this.watchdog = watchdog;
    this.log = log;
  }

  /**
   * Starts a server.
   *
   * @param program and the options that each of its servers has
   * @param data its directory, where it also logs
   */
  static ServerProcess start(
      List<String> program, Path data, List<String> options, Map<String, String> environment)
      throws IOException {
    List<String> command = new ArrayList<>(program);
    command.add("--datadir=" + data);
    // A server that starts deletes the temporary tables of all servers with the same directory.
    command.add("--tmpdir=" + data);
    if ("root".equals(System.getProperty("user.name"))) {
      command.add("--user=root");
    }
    command.addAll(options);
    Path log = data.resolve(LOG);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    Process server =
        builder
            .directory(data.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    Process watchdog =
        new ProcessBuilder("sh", "-c", "cat > /dev/null; kill -9 " + server.pid())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return new ServerProcess(server, watchdog, log);
  }

  long pid() {
    return server.pid();
  }

  boolean isAlive() {
    return server.isAlive();
  }

  /** What the process reads. */
  OutputStream input() {
    return server.getOutputStream();
  }

  /** The end of the server's log, for messages. */
  String lastWords() throws IOException {
    if (!Files.exists(log)) {
      return "";
    }
    List<String> lines =
        new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
  }

  /** Waits until the process has ended by itself. */
  void requireEnd() throws IOException {
    awaitEnd();
    if (server.exitValue() != 0) {
      throw new IOException(
          "the server ends with %d:%n%s".formatted(server.exitValue(), lastWords()));
    }
  }

  /** Asks the server to stop, and waits. */
  void stop() throws IOException {
    server.destroy();
    awaitEnd();
  }

  /** Ends the server at once, without a write. */
  void kill() throws IOException {
    server.destroyForcibly();
    awaitEnd();
  }

  private void awaitEnd() throws IOException {
    try {
      if (!server.waitFor(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
        server.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      server.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("waiting for the end of the server was interrupted", e);
    } finally {
      // Before the number of the ended process can be another's.
      watchdog.destroyForcibly();
    }
  }
}
