package dev.sluice.engine.load;

import dev.sluice.config.retry.Polling;
import dev.sluice.load.target.WorkerAdvice;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the target of a load for the suitable number of workers. Has its own thread, so that no
 * worker waits for an answer. Owned by the thread that loads.
 */
final class AdvisedWorkers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdvisedWorkers.class);

  private static final Duration LONGEST_END = Duration.ofSeconds(1);

  private final WorkerAdvice advice;
  private final WorkerGate gate;
  private final Thread asking = new Thread(this::ask, "load-workers");

  private AdvisedWorkers(WorkerAdvice advice, WorkerGate gate) {
    this.advice = advice;
    this.gate = gate;
    asking.setDaemon(true);
  }

  static AdvisedWorkers start(WorkerAdvice advice, WorkerGate gate) {
    AdvisedWorkers workers = new AdvisedWorkers(advice, gate);
    workers.asking.start();
    return workers;
  }

  private void ask() {
    try {
      Polling.every(advice.interval())
          .until(
              () -> {
                gate.allow(advice.workers(gate.working()));
                return false;
              });
    } catch (InterruptedException e) {
      // The load has ended.
    } catch (RuntimeException e) {
      LOG.warn("BUG: all workers load, as the target is not asked any more", e);
      gate.open();
    } finally {
      advice.close();
    }
  }

  /** Does not wait for a running query. The polling thread closes its session. */
  @Override
  public void close() {
    advice.abort();
    asking.interrupt();
    try {
      asking.join(LONGEST_END.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
