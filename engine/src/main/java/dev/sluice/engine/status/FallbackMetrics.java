package dev.sluice.engine.status;

import static dev.sluice.engine.status.DaemonMetric.gauge;
import static dev.sluice.engine.status.DaemonMetric.orZero;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** The metrics of the way back; 0 without one. */
final class FallbackMetrics {
  static final List<DaemonMetric> ALL =
      List.of(
          of(
              "sluice_fallback_up",
              "1 if the way back is armed, or carries changes back, and nothing is in its way.",
              back -> back.works() ? 1 : 0),
          of(
              "sluice_fallback_canary_seconds",
              "How long the way back's last canary took.",
              back -> orZero(back.canaryMillis()) / 1000),
          of(
              "sluice_fallback_canary_timestamp_seconds",
              "When the way back's last canary came back, as a Unix time; 0 if never.",
              back -> back.canaryAt() == null ? 0 : back.canaryAt().toEpochMilli() / 1000.0),
          of(
              "sluice_fallback_latency_seconds",
              "How far the old source is behind the new side once the way back has begun; 0 if"
                  + " unknown.",
              back -> orZero(back.lagSeconds())),
          of(
              "sluice_fallback_retained_bytes",
              "Log that the new side keeps for the way back.",
              back -> orZero(back.keptBytes())),
          of(
              "sluice_fallback_retained_limit_bytes",
              "FallbackLogLimit; 0 without a way back.",
              FallbackStatus::limitBytes));

  private FallbackMetrics() {}

  private static DaemonMetric of(String name, String help, ToDoubleFunction<FallbackStatus> value) {
    return gauge(
        name,
        help,
        scrape ->
            scrape.status().fallback() == null
                ? 0
                : value.applyAsDouble(scrape.status().fallback()));
  }
}
