package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.io.PrintStream;
import java.util.List;

/** Prints a failure: one message for each problem, and a stack trace only with --debug. */
final class FailureReport {
  private final PrintStream out;
  private final boolean debug;

  FailureReport(PrintStream out, boolean debug) {
    this.out = out;
    this.debug = debug;
  }

  /** Prints the failure and returns its exit code. */
  int print(Throwable failure) {
    int exitCode;
    if (failure instanceof SluiceException.Fatal fatal && !fatal.problems().isEmpty()) {
      print(fatal.problems());
      exitCode = ExitCode.BAD_INPUT;
    } else if (failure instanceof SluiceException) {
      out.println("sluice: " + failure.getMessage());
      exitCode = ExitCode.FAILED;
    } else {
      out.println("sluice: unexpected " + failure + " (--debug shows where)");
      exitCode = ExitCode.FAILED;
    }
    if (debug) {
      failure.printStackTrace(out);
    }
    return exitCode;
  }

  void print(List<Problem> problems) {
    out.println(
        "sluice: " + (problems.size() == 1 ? "a problem:" : problems.size() + " problems:"));
    for (Problem problem : problems) {
      out.println();
      out.println("  " + problem.thing());
      line("found", problem.found());
      line("expected", problem.expected());
      line("fix", problem.fix());
    }
    out.println();
  }

  private void line(String name, String text) {
    if (!text.isEmpty()) {
      out.printf("    %-9s %s%n", name + ":", text.replace("\n", "\n              "));
    }
  }
}
