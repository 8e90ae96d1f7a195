package dev.sluice.monitoring;

import dev.sluice.engine.status.DaemonMetric;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.monitoring.Expression.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The series that Prometheus has of a daemon, by the daemon's list of metrics. Immutable. */
final class KnownSeries {
  /** Of every series: the task's, and those that Prometheus adds. */
  private static final Set<String> OF_ALL = Set.of("task", "job", "instance");

  private final Map<String, Set<String>> labels = new TreeMap<>();

  KnownSeries() {
    for (DaemonMetric metric : DaemonMetric.all()) {
      if (metric.type() == DaemonMetric.Type.HISTOGRAM) {
        add(metric.name() + "_bucket", metric.labels(), "le");
        add(metric.name() + "_sum", metric.labels());
        add(metric.name() + "_count", metric.labels());
      } else {
        add(metric.name(), metric.labels());
      }
    }
    // Prometheus makes it for each daemon that it scrapes.
    labels.put("up", Set.of("job", "instance"));
  }

  private void add(String name, List<String> own, String... more) {
    Set<String> all = new HashSet<>(own);
    all.addAll(OF_ALL);
    all.addAll(List.of(more));
    labels.put(name, all);
  }

  /** What an expression names that is not there; empty if all is. */
  List<String> unknown(String text) {
    List<String> unknown = new ArrayList<>();
    Expression expression = Expression.of(text);
    Set<String> here = new HashSet<>();
    for (Selector selector : expression.selectors()) {
      Set<String> own = labels.getOrDefault(selector.metric(), Set.of());
      here.addAll(own);
      if (own.isEmpty()) {
        unknown.add("metric " + selector.metric() + " in " + text);
      }
      selector.matched().keySet().stream()
          .filter(label -> !own.contains(label))
          .forEach(label -> unknown.add("label " + label + " in " + selector.text()));
      String kind = selector.matched().get("kind");
      if (kind != null && Stream.of(ProblemKind.values()).noneMatch(k -> k.text().equals(kind))) {
        unknown.add("kind " + kind + " in " + selector.text());
      }
    }
    expression.grouped().stream()
        .filter(label -> !here.contains(label))
        .forEach(label -> unknown.add("label " + label + " in " + text));
    return unknown;
  }
}
