package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.command.display.CutoverReportText;
import picocli.CommandLine.Option;

/** How the report of {@code --dry-run} is printed: by cutover, and by fallback. */
final class ReportFormat {
  @Option(names = "--json", description = "With --dry-run: print the report as JSON.")
  private boolean json;

  /**
   * Checks the option.
   *
   * @throws SluiceException.Fatal if there is no report to print
   */
  void require(boolean dryRun) {
    if (json && !dryRun) {
      throw new SluiceException.Fatal(
          new Problem(
              "--json",
              "only the report of --dry-run is printed as JSON",
              "--dry-run",
              "Add --dry-run, or leave --json out"));
    }
  }

  /** Prints a report; returns the exit code. */
  int print(DaemonClient.Report page) {
    System.out.println(json ? page.json() : CutoverReportText.of(page.report()));
    return page.report().go() ? ExitCode.DONE : ExitCode.NOT_COVERED;
  }
}
