package dev.sluice.engine.command.display;

import dev.sluice.config.Counted;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.CutoverReport.Finding;
import dev.sluice.engine.status.CutoverReport.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the report of whether a task can be cut over. Stateless. */
public final class CutoverReportText {
  private static final String BETWEEN = System.lineSeparator();

  private CutoverReportText() {}

  /** The first line is the verdict; then blockers, choices and facts. */
  public static String of(CutoverReport report) {
    List<String> lines = new ArrayList<>();
    lines.add(verdict(report));
    lines.add(
        String.format(
            Locale.ROOT,
            "task %s, read at %s in %.1f s; nothing was changed",
            report.task(),
            report.at(),
            report.seconds()));
    section(
        "blockers: the cutover refuses or fails while they last", Weight.BLOCKER, report, lines);
    section(
        "choices: remove them, or accept each with --accept KIND", Weight.CHOICE, report, lines);
    section("facts", Weight.FACT, report, lines);
    return String.join(BETWEEN, lines);
  }

  private static String verdict(CutoverReport report) {
    int blockers = report.open(Weight.BLOCKER).size();
    int choices = report.open(Weight.CHOICE).size();
    List<String> open = new ArrayList<>();
    if (blockers > 0) {
      open.add(Counted.of(blockers, "blocker"));
    }
    if (choices > 0) {
      open.add(Counted.of(choices, "choice"));
    }
    String accepted =
        report.accepted().isEmpty() ? "" : "; accepted: " + String.join(", ", report.accepted());
    return report.go()
        ? "go: nothing is in the way of a cutover" + accepted
        : "no-go: " + String.join(", ", open) + accepted;
  }

  private static void section(
      String title, Weight weight, CutoverReport report, List<String> lines) {
    List<Finding> findings =
        report.findings().stream()
            .filter(finding -> finding.weight().equals(weight.text()))
            .toList();
    if (findings.isEmpty()) {
      return;
    }
    lines.add("");
    lines.add(title);
    findings.forEach(finding -> add(finding, lines));
  }

  private static void add(Finding finding, List<String> lines) {
    lines.add("  " + finding.kind() + (finding.accepted() ? " (accepted)" : ""));
    lines.add("    " + finding.thing() + ": " + finding.found());
    finding.names().forEach(name -> lines.add("      - " + name));
    if (!finding.names().isEmpty() && finding.more() > 0) {
      lines.add("      - and " + finding.more() + " more");
    }
    if (!finding.expected().isEmpty()) {
      lines.add("    expected: " + finding.expected());
    }
    if (!finding.fix().isEmpty()) {
      lines.add("    fix: " + finding.fix());
    }
  }
}
