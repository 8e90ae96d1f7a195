package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.status.CutoverOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import picocli.CommandLine.Option;

/** The options of a cutover about the writers of the source, and what is accepted. */
final class WriterOptions {
  @Option(
      names = "--budget",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description =
          "For how long the writers of the source may be stopped, from 0.5 to 600; after that they"
              + " go on, and nothing is changed (default: ${DEFAULT-VALUE}).")
  private double budget;

  @Option(
      names = "--accept",
      paramLabel = "KIND",
      description =
          "Accept the choices of this kind, as --dry-run names it; repeatable. A cutover begins only"
              + " if no other choice and no blocker is left; with --quiet-period and without this"
              + " option it asks for none.")
  private List<String> accepted = new ArrayList<>();

  /**
   * Checks the values.
   *
   * @throws SluiceException.Fatal with all problems
   */
  void require() {
    List<Problem> problems = CutoverOrder.problems(OptionalDouble.of(budget), accepted);
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  /** What is accepted, as a parameter of a request that stops no writers. */
  String queryWithoutBudget() {
    return "&accept=" + String.join(",", accepted);
  }

  /** The options as parameters of a request. */
  String query() {
    return "&budget=" + budget + "&accept=" + String.join(",", accepted);
  }
}
