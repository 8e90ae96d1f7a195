package dev.sluice.documents;

import dev.sluice.engine.status.DaemonMetric;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.monitoring.AlertRules.Alert;
import dev.sluice.sink.progress.SinkMetric;
import dev.sluice.sink.progress.WindowMetric;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tables of metrics and alerts in the documents, as their declarations say. */
final class MetricTables {
  private MetricTables() {}

  /** Every metric of the daemon. */
  static List<String> ofDaemon() {
    return table(
        List.of("metric", "type", "unit", "labels", "meaning", "in DMS"),
        DaemonMetric.all().stream()
            .map(
                metric ->
                    List.of(
                        code(metric.name()),
                        metric.type().name().toLowerCase(Locale.ROOT),
                        metric.unit().orElse(""),
                        metric.labels().stream()
                            .map(MetricTables::code)
                            .collect(Collectors.joining(", ")),
                        metric.help(),
                        metric.cloudWatch().map(MetricTables::code).orElse(""))));
  }

  /** The kinds of problems. */
  static List<String> ofProblems() {
    return table(
        List.of("kind", "meaning"),
        Stream.of(ProblemKind.values()).map(kind -> List.of(code(kind.text()), kind.help())));
  }

  /** The alerts of the rules file. */
  static List<String> ofAlerts(List<Alert> alerts) {
    return table(
        List.of("alert", "severity", "expression", "for", "what it means, and what to do"),
        alerts.stream()
            .map(
                alert ->
                    List.of(
                        code(alert.name()),
                        alert.severity(),
                        code(alert.expression()),
                        alert.lasts(),
                        alert.meaning() + ". " + alert.description() + link(alert.page()))));
  }

  /** To another page of the operator's documents; none to the one that has the table. */
  private static String link(String page) {
    String file = page.substring(page.lastIndexOf('/') + 1);
    String title = file.replace(".md", "").replace('-', ' ');
    return title.equals("monitoring") ? "" : " ([%s](%s))".formatted(title, file);
  }

  /** The metrics that a task of Kafka Connect has. */
  static List<String> ofConnect() {
    return table(
        List.of("metric", "tag", "meaning"),
        Stream.of(
                Stream.of(SinkMetric.values())
                    .map(metric -> List.of(code(metric.exposedName()), "", metric.help())),
                WindowMetric.distributions().stream()
                    .map(metric -> ofConnect(metric, metric.label().orElse(""), "_…")),
                WindowMetric.sums().stream().map(metric -> ofConnect(metric, metric.label(), "")))
            .flatMap(rows -> rows));
  }

  private static List<String> ofConnect(WindowMetric metric, String tag, String ending) {
    return List.of(
        code(metric.exposedName() + ending), tag.isEmpty() ? "" : code(tag), metric.help());
  }

  /** The first table of a page below a heading. */
  static List<String> below(String heading, List<String> page) {
    int from = start(heading, page);
    return page.subList(from, end(from, page));
  }

  /** The page with another table there. */
  static List<String> replaced(String heading, List<String> page, List<String> table) {
    int from = start(heading, page);
    List<String> lines = new ArrayList<>(page.subList(0, from));
    lines.addAll(table);
    lines.addAll(page.subList(end(from, page), page.size()));
    return lines;
  }

  private static int start(String heading, List<String> page) {
    int from = page.indexOf(heading);
    while (!page.get(from).startsWith("|")) {
      from++;
    }
    return from;
  }

  private static int end(int from, List<String> page) {
    int to = from;
    while (to < page.size() && page.get(to).startsWith("|")) {
      to++;
    }
    return to;
  }

  private static List<String> table(List<String> heads, Stream<List<String>> rows) {
    List<String> lines = new ArrayList<>();
    lines.add(row(heads));
    lines.add(row(heads.stream().map(head -> "---").toList()));
    rows.map(MetricTables::row).forEach(lines::add);
    return lines;
  }

  private static String row(List<String> cells) {
    return cells.stream()
        .map(cell -> cell.isEmpty() ? " |" : " " + cell + " |")
        .collect(Collectors.joining("", "|", ""));
  }

  private static String code(String text) {
    return "`" + text + "`";
  }
}
