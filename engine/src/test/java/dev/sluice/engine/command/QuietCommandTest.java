package dev.sluice.engine.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that only ask the daemon, each in a process of its own. */
class QuietCommandTest {
  private static final String LOGBACK = "ch.qos.logback.classic.LoggerContext ";

  @TempDir Path folder;

  @Test
  void aCommandThatOnlyAsksTheDaemonMakesNoLogAndSaysNothingOfThat() throws Exception {
    List<String> lines = outputOf("status", task());
    assertThat(lines).noneMatch(line -> line.contains(LOGBACK) || line.startsWith("SLF4J"));
    assertThat(lines).anyMatch(line -> line.contains("no daemon runs on"));
  }

  @Test
  void withDebugItHasALog() throws Exception {
    assertThat(outputOf("--debug", "status", task())).anyMatch(line -> line.contains(LOGBACK));
  }

  @Test
  void aCommandThatReachesServersHasALog() throws Exception {
    assertThat(outputOf("check", task())).anyMatch(line -> line.contains(LOGBACK));
  }

  private String task() throws IOException {
    return Files.writeString(
            folder.resolve("task.yaml"),
            """
            task: quiet
            migration-type: cdc
            source: { type: postgresql, url: "postgresql://nobody@127.0.0.1:1/none", password: none }
            target: { type: postgresql, url: "postgresql://nobody@127.0.0.1:1/other", password: none }
            data-dir: %s
            http: 127.0.0.1:0
            table-mappings:
              rules:
                - { rule-type: selection, rule-id: "1", rule-name: all, rule-action: include,
                    object-locator: { schema-name: public, table-name: "%%" } }
            """
                .formatted(folder.resolve("data")))
        .toString();
  }

  /** What it prints, and the classes that it loads. */
  private static List<String> outputOf(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-Xlog:class+load",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.sluice.engine.Main"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader output = process.inputReader()) {
      List<String> lines = output.lines().toList();
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
      return lines;
    } finally {
      process.destroyForcibly();
    }
  }
}
