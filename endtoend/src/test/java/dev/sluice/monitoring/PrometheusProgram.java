package dev.sluice.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The programs of Prometheus, where they are installed. Stateless. */
public final class PrometheusProgram {
  private PrometheusProgram() {}

  /**
   * The path of a program of that name; the test is skipped where it is missing.
   *
   * @param name {@code prometheus} or {@code promtool}
   */
  public static Path required(String name) {
    List<Path> found =
        Stream.of(System.getenv("PATH").split(":"))
            .map(folder -> Path.of(folder, name))
            .filter(Files::isExecutable)
            .toList();
    Assumptions.assumeFalse(
        found.isEmpty(), name + " is not installed: apt-get install prometheus");
    return found.get(0);
  }

  /** Runs promtool in a folder, and fails with what it says if it finds something wrong. */
  static void promtool(Path folder, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(required("promtool").toString());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }
}
