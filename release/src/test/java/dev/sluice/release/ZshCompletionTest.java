package dev.sluice.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The completion in a real zsh on a terminal, where somebody presses the tabulator. */
class ZshCompletionTest {
  private static final long MINUTES = 10;

  /** Arguments: the completion, what is typed, what it becomes. Ends with 1 if it does not. */
  private static final String SCRIPT =
      """
      zmodload zsh/zpty
      expect() {
        local seen='' part i
        for i in {1..6000}; do
          if zpty -r -t shell part; then
            seen+=$part
            [[ $seen != *"$1"* ]] || return 0
          else
            sleep 0.1
          fi
        done
        print -r -- "not there: $1; seen: $seen"
        exit 1
      }
      zpty -b shell zsh -f -i
      zpty -w shell "unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D"
      zpty -w shell "source ${(q)1}; function sluice { }; print REA''DY"
      expect READY
      zpty -w -n shell "$2"$'\\t'
      expect "$3"
      """;

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "sluice from, sluice from-dms",
    "sluice status --w, sluice status --watch",
    "sluice connect-config --converter bi, sluice connect-config --converter binary",
  })
  void theTabulatorCompletes(String typed, String completed) throws Exception {
    assertThat(ofPressing(typed, completed)).isEmpty();
  }

  @Test
  void theTabulatorCompletesAFile() throws Exception {
    Files.writeString(folder.resolve("only-one.yaml"), "");
    assertThat(ofPressing("sluice check only", "sluice check only-one.yaml")).isEmpty();
  }

  /** What is wrong; empty if the typed text is completed so. */
  private String ofPressing(String typed, String completed) throws Exception {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, "zsh"))),
        "zsh is not installed");
    Path completion = Path.of("target/completion/sluice").toAbsolutePath();
    Path output = Files.createTempFile("zsh", ".out");
    Path script = Files.writeString(Files.createTempFile("press", ".zsh"), SCRIPT);
    Process zsh =
        new ProcessBuilder("zsh", "-f", script.toString(), completion.toString(), typed, completed)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(zsh.waitFor(MINUTES, TimeUnit.MINUTES)).isTrue();
      String text = Files.readString(output);
      return zsh.exitValue() == 0 ? "" : "exit code " + zsh.exitValue() + ": " + text;
    } finally {
      zsh.destroyForcibly();
      Files.delete(script);
      Files.delete(output);
    }
  }
}
