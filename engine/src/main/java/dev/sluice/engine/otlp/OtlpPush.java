package dev.sluice.engine.otlp;

import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.engine.context.PeriodicTask;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pushes the metrics once in each interval, on its own thread, and a last time at the end, with how
 * the task ended. A failure is logged once, until a push has succeeded, and does not affect the
 * task. Owned by the daemon.
 */
public final class OtlpPush implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OtlpPush.class);

  private static final Duration ANSWER = Duration.ofSeconds(10);

  /** The daemon's end waits for it. */
  private static final Duration LAST_ANSWER = Duration.ofSeconds(2);

  private final OtlpEndpoint endpoint;
  private final OtlpRequest request;
  private final Supplier<MetricSnapshots> metrics;
  private final Clock clock;
  private final Duration interval;
  private final PeriodicTask pushes;

  /** Used by the thread of the pushes, and by the closing one after its end. */
  private boolean failed;

  private OtlpPush(
      URI address,
      Duration interval,
      OtlpRequest request,
      Supplier<MetricSnapshots> metrics,
      Clock clock) {
    this.endpoint = new OtlpEndpoint(address);
    this.interval = interval;
    this.request = request;
    this.metrics = metrics;
    this.clock = clock;
    this.pushes = new PeriodicTask("sluice-otlp", interval, this::push, this::failed);
  }

  /**
   * Starts to push; empty if no setting names an endpoint.
   *
   * @param metrics makes a scrape; called by the thread of the pushes
   */
  public static Optional<OtlpPush> start(
      TaskSettings settings,
      DaemonIdentity daemon,
      Supplier<MetricSnapshots> metrics,
      Clock clock) {
    return settings
        .get(SluiceSettings.OTLP_ENDPOINT)
        .map(
            address -> {
              OtlpPush push =
                  new OtlpPush(
                      URI.create(address),
                      settings.get(SluiceSettings.OTLP_INTERVAL),
                      new OtlpRequest(daemon.attributes(), daemon.started()),
                      metrics,
                      clock);
              LOG.info("metrics are pushed to {} every {} s", address, seconds(push.interval));
              push.pushes.start();
              return push;
            });
  }

  private void push() {
    push(ANSWER);
  }

  private void push(Duration timeout) {
    try {
      Optional<String> problem = endpoint.send(request.of(metrics.get(), clock.instant()), timeout);
      if (problem.isPresent()) {
        report(problem.get());
      } else if (failed) {
        failed = false;
        LOG.info("metrics arrive at {} again", endpoint);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (LinkageError e) {
      // An Error would end the daemon, for which metrics are no reason.
      report(e.toString());
    }
  }

  private void failed(RuntimeException failure) {
    report(failure.toString());
  }

  private void report(String problem) {
    if (!failed) {
      failed = true;
      LOG.warn(
          "metrics do not arrive at {}: {}. The task goes on; it is tried again every {} s, and this"
              + " is not said again until it succeeds",
          endpoint,
          problem,
          seconds(interval));
    }
  }

  private static String seconds(Duration time) {
    return Double.toString(time.toMillis() / 1000.0).replaceFirst("\\.0$", "");
  }

  /** Ends the pushes, and pushes once more: for two seconds at most. */
  @Override
  public void close() {
    pushes.close();
    try {
      push(LAST_ANSWER);
    } catch (RuntimeException e) {
      failed(e);
    }
  }
}
