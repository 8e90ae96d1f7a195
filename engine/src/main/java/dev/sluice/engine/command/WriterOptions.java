package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of a cutover about the writers of the source, and what is accepted. */
final class WriterOptions {
  private static final double SHORTEST_BUDGET = 0.5;
  private static final double LONGEST_BUDGET = 600;

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
    List<Problem> problems = new ArrayList<>();
    for (String kind : accepted) {
      if (!kind.matches("[a-z]+(-[a-z]+)*")) {
        problems.add(
            new Problem(
                "--accept " + kind,
                "is no kind of a finding",
                "a word such as missing-grant",
                "sluice cutover --dry-run lists the kinds"));
      }
    }
    if (!(budget >= SHORTEST_BUDGET && budget <= LONGEST_BUDGET)) {
      problems.add(
          new Problem(
              "--budget " + budget,
              "is no time for which writers can be stopped",
              "seconds from %s to %s".formatted(SHORTEST_BUDGET, LONGEST_BUDGET),
              "Leave it out for 5 seconds"));
    }
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
