package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code status --watch} beside a real daemon, as a process whose output is a file. */
class StatusWatchTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void itFollowsTheReplicationAndSaysWhyTheDaemonEnded() throws Exception {
    for (EmbeddedPostgres server : List.of(SERVERS.source(), SERVERS.target())) {
      server.createDatabase("watched");
      execute(server, "watched", "CREATE TABLE noted (id int PRIMARY KEY)");
    }
    execute(SERVERS.source(), "watched", "INSERT INTO noted SELECT generate_series(1, 1000)");
    Path task =
        TaskFolder.of(folder, "watched", SERVERS.source(), SERVERS.target(), "watched", "public")
            .write();

    Path stopped = folder.resolve("stopped.out");
    whileWatched(
        task,
        () -> watch(task, stopped),
        (daemon, watch) -> {
          // More than one: it goes on after the load.
          await().atMost(PATIENCE).until(() -> states(stopped) >= 2);
          assertThat(watch.isAlive()).isTrue();
          assertThat(daemon.terminate()).as(daemon.output()).isZero();
          assertThat(exitCode(watch)).as(Files.readString(stopped)).isZero();
        });
    assertThat(stopped)
        .content()
        .contains(
            "1,000 rows",
            "waiting 0 changes, nothing waits",
            "the daemon has ended",
            "stopped since");

    Path killed = folder.resolve("killed.out");
    whileWatched(
        task,
        () -> watch(task, killed),
        (daemon, watch) -> {
          await().atMost(PATIENCE).until(() -> states(killed) >= 1);
          daemon.kill();
          assertThat(exitCode(watch)).as(Files.readString(killed)).isEqualTo(1);
        });
    assertThat(killed)
        .content()
        .contains("the daemon has ended", "replicating since", "it was killed");
    assertThat(DaemonProcess.commandHere("stop", task.toString(), "--drop").exitCode()).isZero();
  }

  @Test
  void onATerminalItIsRedrawnInPlace() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script is not installed");
    SERVERS.source().createDatabase("drawn");
    SERVERS.target().createDatabase("drawn");
    execute(SERVERS.source(), "drawn", "CREATE TABLE noted (id int PRIMARY KEY)");
    execute(SERVERS.target(), "drawn", "CREATE TABLE noted (id int PRIMARY KEY)");
    Path task =
        TaskFolder.of(folder, "drawn", SERVERS.source(), SERVERS.target(), "drawn", "public")
            .write();
    Path screen = folder.resolve("screen.out");
    whileWatched(
        task,
        () -> watchOnTerminal(task, screen),
        (daemon, watch) -> {
          // Four lines up: state, source, target and what waits are drawn again.
          await()
              .atMost(PATIENCE)
              .until(
                  () -> Files.readString(screen).contains("\033[4A\r\033[Jtask     drawn: repl"));
          assertThat(daemon.terminate()).as(daemon.output()).isZero();
          assertThat(exitCode(watch)).as(Files.readString(screen)).isZero();
        });
    assertThat(screen).content().contains("the daemon has ended", "stopped since");
    assertThat(DaemonProcess.commandHere("stop", task.toString(), "--drop").exitCode()).isZero();
  }

  @Test
  void aWatchIsNoJson() throws IOException {
    Path task = Files.writeString(folder.resolve("any.yaml"), "task: any\n");
    DaemonProcess.Finished refused =
        DaemonProcess.commandHere("status", task.toString(), "--watch", "--json");
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.output()).contains("--json");
  }

  private interface Watch {
    Process start() throws IOException;
  }

  private interface Course {
    void run(DaemonProcess daemon, Process watch) throws Exception;
  }

  /** Runs a daemon, and a watch beside it once it replicates; ends both. */
  private static void whileWatched(Path task, Watch start, Course course) throws Exception {
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      daemon.awaitPhase("replicating");
      Process watch = start.start();
      try {
        course.run(daemon, watch);
      } finally {
        watch.destroyForcibly().waitFor();
      }
    }
  }

  private static Process watch(Path task, Path output) throws IOException {
    return DaemonProcess.start(output, List.of("status", task.toString(), "--watch"));
  }

  /** The same in a terminal, which the program script makes. */
  private static Process watchOnTerminal(Path task, Path output) throws IOException {
    String command =
        DaemonProcess.javaCommand(List.of("status", task.toString(), "--watch")).stream()
            .map(word -> "'" + word.replace("'", "'\\''") + "'")
            .collect(Collectors.joining(" "));
    return new ProcessBuilder("script", "-qefc", command, "/dev/null")
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  private static long states(Path output) throws IOException {
    return Files.readString(output)
        .lines()
        .filter(line -> line.contains(" replicating: source "))
        .count();
  }

  private static int exitCode(Process process) throws InterruptedException {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }
}
