package dev.sluice.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code docker/try} as a user runs it, beside what else runs of it on the machine. */
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class TryTest {
  private static final Path SCRIPT = Built.REPOSITORY.resolve("docker/try");

  @TempDir Path directory;

  @BeforeAll
  static void requireDocker() throws Exception {
    Built.assumeImagesCanBeMade();
    assumeTrue(
        run(Path.of("/dev/null"), Map.of(), "docker", "compose", "version") == 0,
        "docker compose is not there");
  }

  @ParameterizedTest
  @ValueSource(strings = {"connect", "daemon"})
  void bothSidesAreEqualAfterTheWorkload(String composition) throws Exception {
    Map<String, String> environment =
        Map.of(
            "COMPOSE_PROJECT_NAME", "sluice-try-test-" + ProcessHandle.current().pid(),
            "CONNECT_PORT", Integer.toString(freePort()),
            "SLUICE_PORT", Integer.toString(freePort()));
    Path output = directory.resolve("output");
    try {
      int exitCode = run(output, environment, SCRIPT.toString(), composition, "2");
      assertThat(exitCode).as(Files.readString(output)).isZero();
      assertThat(output).content().contains("EQUAL: every row");
    } finally {
      run(Path.of("/dev/null"), environment, SCRIPT.toString(), composition, "down");
    }
  }

  private static int run(Path output, Map<String, String> environment, String... command)
      throws InterruptedException {
    ProcessBuilder process =
        new ProcessBuilder(List.of(command))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    process.environment().putAll(environment);
    try {
      return process.start().waitFor();
    } catch (IOException e) {
      // No such program.
      return -1;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
