package dev.sluice.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which options the launcher gives to Java; the Java here only prints them. */
class SmallHeapTest {
  private static final List<String> SMALL =
      List.of(
          "-XX:+UseSerialGC",
          "-Xms64m",
          "-XX:MaxNewSize=64m",
          "-XX:MinHeapFreeRatio=20",
          "-XX:MaxHeapFreeRatio=40");

  @TempDir private Path home;

  @BeforeEach
  void install() throws Exception {
    Files.createDirectories(home.resolve("lib"));
    Path launcher = Files.createDirectories(home.resolve("bin")).resolve("sluice");
    Files.copy(Path.of("src/bin/sluice"), launcher);
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
    Path java = Files.writeString(home.resolve("bin/java"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    assertThat(launcher.toFile().setExecutable(true)).isTrue();
    assertThat(java.toFile().setExecutable(true)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-Xmx512m", "-Xmx999M", "-Xmx4g -Dany=1 -Xmx200m"})
  void aSmallHeapIsKeptNearWhatIsInUse(String options) throws Exception {
    List<String> given = options("run", options);
    assertThat(given).containsAll(SMALL).doesNotContain("-XX:+UseParallelGC");
    assertThat(given.lastIndexOf("-Xms64m"))
        .as("the user's options come later, so they count")
        .isLessThan(given.indexOf(options.split(" ")[0]));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-Xmx4g",
        "-Xmx1024m",
        "-Xmx199m",
        "-Xmx512m -Xmx4g",
        "-Dany=-Xmx512m",
        "-Xmx512m -XX:MinHeapFreeRatio=50",
        "-Xmx512m -XX:MaxHeapSize=4g"
      })
  void anyOtherHeapMayGrow(String options) throws Exception {
    assertThat(options("run", options))
        .contains("-XX:+UseParallelGC")
        .doesNotContainAnyElementsOf(SMALL);
  }

  @Test
  void theUsersCollectorIsTheOnlyOneAndItsHeapIsLeftAlone() throws Exception {
    assertThat(options("run", "-Xmx512m -XX:+UseG1GC"))
        .contains("-XX:+UseG1GC")
        .doesNotContain("-XX:+UseParallelGC")
        .doesNotContainAnyElementsOf(SMALL);
  }

  @Test
  void aCommandThatAsksTheDaemonNeedsNoneOfIt() throws Exception {
    assertThat(options("status", "-Xmx512m")).doesNotContain("-Xms64m");
  }

  private List<String> options(String command, String options) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(home.resolve("bin/sluice").toString(), command);
    builder.environment().put("JAVA_HOME", home.toString());
    builder.environment().put("SLUICE_OPTS", options);
    Path output = home.resolve("printed");
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    List<String> printed = Files.readAllLines(output);
    assertThat(process.exitValue()).as(printed.toString()).isZero();
    return printed;
  }
}
