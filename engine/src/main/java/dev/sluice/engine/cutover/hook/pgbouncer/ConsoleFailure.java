package dev.sluice.engine.cutover.hook.pgbouncer;

/** An admin console cannot be reached, or refuses a command. Its message names the instance. */
public final class ConsoleFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, after the instance
   */
  public ConsoleFailure(String message) {
    super(message);
  }

  ConsoleFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
