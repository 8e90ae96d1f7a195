package dev.sluice.bench.peer;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a daemon's validation has done since its start, as its status says. Immutable.
 *
 * @param sessions that have ended
 * @param rows compared in parts of tables
 * @param keys compared one by one, since they were changed
 */
public record ValidationWork(long sessions, long rows, long keys) {

  public static ValidationWork of(SluiceDaemon daemon) throws InterruptedException {
    JsonNode validation =
        daemon
            .status()
            .orElseThrow(() -> new IllegalStateException("the daemon's page does not answer"))
            .path("validation");
    return new ValidationWork(
        validation.path("sessions").asLong(),
        validation.path("rows").asLong(),
        validation.path("keys").asLong());
  }

  public ValidationWork since(ValidationWork before) {
    return new ValidationWork(sessions - before.sessions, rows - before.rows, keys - before.keys);
  }

  /**
   * @throws IllegalStateException where nothing was validated, so that a figure would be that of a
   *     run without validation
   */
  public ValidationWork requireSome() {
    if (sessions == 0) {
      throw new IllegalStateException(
          "no session of the validation ended in the time that counts: count longer, or at a lower"
              + " rate");
    }
    return this;
  }
}
