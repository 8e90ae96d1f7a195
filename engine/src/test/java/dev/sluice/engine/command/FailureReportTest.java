package dev.sluice.engine.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailureReportTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @Test
  void everyProblemIsPrintedWithItsFourParts() {
    int exitCode =
        report(false)
            .print(
                new SluiceException.Fatal(
                    List.of(
                        new Problem("wal_level", "replica", "logical", "ALTER SYSTEM …"),
                        new Problem("table a.b", "is missing", "a table", "create it"))));
    assertThat(exitCode).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(text())
        .contains("2 problems", "wal_level", "replica", "logical", "ALTER SYSTEM …", "table a.b")
        .doesNotContain("\tat ");
  }

  @Test
  void aFailureWithoutProblemsIsOneLine() {
    int exitCode = report(false).print(new SluiceException.Retryable("the source is away", null));
    assertThat(exitCode).isEqualTo(ExitCode.FAILED);
    assertThat(text().lines()).containsExactly("sluice: the source is away");
  }

  @Test
  void aStackTraceComesOnlyWhereItIsAskedFor() {
    report(true).print(new IllegalStateException("BUG: something"));
    assertThat(text()).contains("BUG: something").contains("\tat ");
  }

  private FailureReport report(boolean debug) {
    return new FailureReport(new PrintStream(printed, true, StandardCharsets.UTF_8), debug);
  }

  private String text() {
    return printed.toString(StandardCharsets.UTF_8);
  }
}
