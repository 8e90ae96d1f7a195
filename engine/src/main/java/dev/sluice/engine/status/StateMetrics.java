package dev.sluice.engine.status;

import static dev.sluice.engine.status.DaemonMetric.each;
import static dev.sluice.engine.status.DaemonMetric.gauge;
import static dev.sluice.engine.status.DaemonMetric.of;

import dev.sluice.engine.status.DaemonMetric.Type;
import dev.sluice.engine.status.DaemonMetric.Value;
import dev.sluice.sink.progress.WindowMetric;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The metrics of the task as a whole: its state, its servers, and the room that is left. */
final class StateMetrics {
  private static final List<String> SERVERS = List.of("source", "target", "kafka");
  private static final List<String> DISKS = List.of("source log", "kafka disk");

  static final List<DaemonMetric> ALL =
      List.of(
          of(
              Type.INFO,
              "sluice_build_info",
              "The release of the daemon and the version of its Java.",
              List.of("version", "java"),
              scrape ->
                  List.of(
                      new Value(List.of(MetricsPage.version(), Runtime.version().toString()), 1))),
          gauge(
              "sluice_up",
              "1 unless the task failed, which ends the daemon: only its last push has 0.",
              scrape -> scrape.status().phase().equals("failed") ? 0 : 1),
          gauge(
              "sluice_start_timestamp_seconds",
              "When the daemon began, as a Unix time.",
              scrape -> scrape.status().started().toEpochMilli() / 1000.0),
          gauge(
              "sluice_ready",
              "1 if the task works and all servers answer.",
              scrape -> scrape.status().notReady().isEmpty() ? 1 : 0),
          each(
              Type.GAUGE,
              "sluice_phase",
              "1 for the phase that the task is in, 0 for each other one.",
              "phase",
              StateMetrics::phases),
          each(
              Type.GAUGE,
              "sluice_problem",
              "1 for each kind of problem that the task has now, 0 for each other one.",
              "kind",
              StateMetrics::problems),
          WindowMetrics.of(WindowMetric.RETRIES),
          each(
              Type.GAUGE,
              "sluice_endpoint_up",
              "1 if the server answered when it was asked last.",
              "endpoint",
              scrape -> servers(scrape, server -> server.up() ? 1 : 0)),
          each(
              Type.GAUGE,
              "sluice_endpoint_last_ok_timestamp_seconds",
              "When the server answered last, as a Unix time; 0 if it never has.",
              "endpoint",
              scrape ->
                  servers(
                      scrape,
                      server ->
                          server.lastOk() == null ? 0 : server.lastOk().toEpochMilli() / 1000.0)),
          each(
              Type.GAUGE,
              "sluice_room_seconds",
              "Time until the disk is full at the rate of the last ten minutes; infinite if nothing"
                  + " limits it or it does not fill.",
              "disk",
              StateMetrics::room),
          each(
              Type.GAUGE,
              "sluice_room_bytes",
              "What the disk, or its limit, may still take; infinite if no limit is known.",
              "disk",
              StateMetrics::roomBytes));

  private StateMetrics() {}

  private static Map<String, Integer> phases(Scrape scrape) {
    Map<String, Integer> states = new LinkedHashMap<>();
    scrape.measured().phases().forEach(phase -> states.put(phase, 0));
    states.put(scrape.status().phase(), 1);
    return states;
  }

  private static Map<String, Integer> problems(Scrape scrape) {
    Map<String, Integer> states = new LinkedHashMap<>();
    for (ProblemKind kind : ProblemKind.values()) {
      states.put(kind.text(), scrape.measured().problems().contains(kind) ? 1 : 0);
    }
    return states;
  }

  /** By server; 0 for one that was not asked yet. */
  private static Map<String, Double> servers(
      Scrape scrape, ToDoubleFunction<TaskStatus.Endpoint> value) {
    Map<String, Double> values = new LinkedHashMap<>();
    SERVERS.forEach(server -> values.put(server, 0.0));
    scrape
        .status()
        .endpoints()
        .forEach(server -> values.put(server.name(), value.applyAsDouble(server)));
    return values;
  }

  private static Map<String, Double> room(Scrape scrape) {
    return disks(
        scrape,
        guard -> guard.hoursLeft() == null ? null : Double.valueOf(guard.hoursLeft() * 3600));
  }

  private static Map<String, Double> roomBytes(Scrape scrape) {
    return disks(
        scrape,
        guard ->
            guard.roomBytes() == null ? null : Double.valueOf(guard.roomBytes().doubleValue()));
  }

  /**
   * By disk; infinite for one of which nothing is known.
   *
   * @param value null if it is not known
   */
  private static Map<String, Double> disks(
      Scrape scrape, Function<TaskStatus.Guard, Double> value) {
    Map<String, Double> values = new LinkedHashMap<>();
    for (String disk : DISKS) {
      values.put(
          disk.replace(' ', '-'),
          scrape.status().guards().stream()
              .filter(guard -> guard.name().equals(disk))
              .map(value)
              .filter(Objects::nonNull)
              .findFirst()
              .orElse(Double.POSITIVE_INFINITY));
    }
    return values;
  }
}
