package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The way of docs/operate/connect.md from nothing to rows on a Kafka Connect cluster, without
 * Docker.
 */
class KafkaConnectTest {
  private static final Path CONNECT = Path.of(System.getProperty("sluice.connect"));

  // Complete lines only: the file is read while it is written.
  private static final Pattern BROKER = Pattern.compile("(bootstrap\\.servers=\\S+)\\s");
  private static final Pattern TASK = Pattern.compile("connect-config (\\S+)\\s");

  private static final Duration PATIENCE = Duration.ofMinutes(20);

  @TempDir Path folder;

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void theSandboxEndsWithEveryRowEqualOnceAWorkerRunsAndTheConnectorsAreRegistered()
      throws Exception {
    assumeTrue(isPacked(), "the plugin is not packed, which the phase package does: mvn verify");
    Path screen = folder.resolve("sandbox.out");
    Process sandbox = DaemonProcess.start(screen, List.of("sandbox", "--seconds", "2"));
    Process worker = null;
    try {
      Matcher task = awaitPrinted(screen, TASK, sandbox);
      Matcher broker = awaitPrinted(screen, BROKER, sandbox);
      String address = "http://127.0.0.1:" + FreePort.find();
      worker = worker(broker.group(1), "listeners=" + address);
      awaitRegistered(task.group(1), address);
      assertThat(sandbox.waitFor(20, TimeUnit.MINUTES)).as(Files.readString(screen)).isTrue();
      assertThat(Files.readString(screen)).contains("EQUAL: every row").doesNotContain("NOT EQUAL");
      assertThat(sandbox.exitValue()).isZero();
    } finally {
      // Stopped, it stops its servers as well.
      sandbox.destroy();
      if (!sandbox.waitFor(1, TimeUnit.MINUTES)) {
        sandbox.destroyForcibly().waitFor();
      }
      if (worker != null) {
        worker.destroyForcibly().waitFor();
      }
    }
  }

  private static boolean isPacked() throws IOException {
    if (!Files.isDirectory(CONNECT.resolve("worker/target/lib"))) {
      return false;
    }
    try (Stream<Path> built = Files.list(CONNECT.resolve("target"))) {
      return built.anyMatch(
          file -> Files.isDirectory(file) && file.getFileName().toString().startsWith("sluice-"));
    } catch (IOException e) {
      return false;
    }
  }

  private Process worker(String... properties) throws IOException {
    ProcessBuilder worker =
        new ProcessBuilder(
            Stream.concat(
                    Stream.of(CONNECT.resolve("run-worker").toString()), Stream.of(properties))
                .toList());
    worker.environment().put("CONNECT_OPTS", "-Xmx384m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    worker.environment().put("JAVA_HOME", System.getProperty("java.home"));
    worker.environment().put("SOURCE_PASSWORD", "any");
    worker.environment().put("TARGET_PASSWORD", "any");
    return worker
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("worker.out").toFile())
        .start();
  }

  /** Repeats the request until the worker is up, as a user would. */
  private void awaitRegistered(String task, String address) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              DaemonProcess.Finished registered =
                  DaemonProcess.commandHere("connect-config", task, "--register", address);
              assertThat(registered.exitCode())
                  .as(registered.output() + Files.readString(folder.resolve("worker.out")))
                  .isZero();
              assertThat(registered.output())
                  .contains("connector sandbox-source: registered")
                  .contains("connector sandbox-sink: registered")
                  .doesNotContain("Create the topic");
            });
  }

  private static Matcher awaitPrinted(Path screen, Pattern pattern, Process process) {
    Matcher[] found = new Matcher[1];
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              assertThat(process.isAlive()).as(Files.readString(screen)).isTrue();
              found[0] = pattern.matcher(Files.readString(screen));
              return found[0].find();
            });
    return found[0];
  }
}
