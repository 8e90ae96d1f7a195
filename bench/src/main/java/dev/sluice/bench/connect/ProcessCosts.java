package dev.sluice.bench.connect;

/**
 * CPU seconds by process. Immutable.
 *
 * @param worker of Kafka Connect, with all its tasks
 * @param broker Kafka, and this benchmark's own work in the same process
 * @param target the target's server
 */
public record ProcessCosts(double worker, double broker, double target) {

  public ProcessCosts since(ProcessCosts before) {
    return new ProcessCosts(worker - before.worker, broker - before.broker, target - before.target);
  }

  public double all() {
    return worker + broker + target;
  }
}
