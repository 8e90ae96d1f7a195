package dev.sluice.engine.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReportFormatTest {
  @ParameterizedTest
  @ValueSource(strings = {"cutover", "fallback"})
  void onlyTheReportOfADryRunIsJson(String command) {
    assertThat(errors(command, "missing.yaml", "--json"))
        .contains("only the report of --dry-run is printed as JSON");
    assertThat(errors(command, "missing.yaml", "--json", "--dry-run"))
        .contains("missing.yaml")
        .doesNotContain("printed as JSON");
  }

  @Test
  void aJournalIsSkippedOnlyIfTheNewSideIsLost() {
    assertThat(errors("fallback", "missing.yaml", "--skip-journal")).contains("--target-lost");
  }

  private static String errors(String... arguments) {
    PrintStream before = System.err;
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (PrintStream errors = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      System.setErr(errors);
      assertThat(CommandLines.run(arguments)).isNotZero();
    } finally {
      System.setErr(before);
    }
    return text.toString(StandardCharsets.UTF_8);
  }
}
