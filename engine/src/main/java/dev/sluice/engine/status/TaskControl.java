package dev.sluice.engine.status;

import dev.sluice.config.TableId;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What may be asked of a running task from outside. Threadsafe. */
public interface TaskControl {

  TaskStatus status();

  /**
   * Waits until all that the source had committed before is on the target, durably, also of tables
   * that are on their way back. That of suspended tables is not: they make it fail.
   */
  default Outcome fence(Duration timeout) throws InterruptedException {
    return fence(timeout, false);
  }

  /**
   * The same.
   *
   * @param exceptSuspended whether it succeeds although tables are suspended, which it names
   */
  Outcome fence(Duration timeout, boolean exceptSuspended) throws InterruptedException;

  /**
   * Cuts over, or goes on with a cutover that was begun; waits for its verdict.
   *
   * @param timeout for each wait: for writers to end, for the target to catch up
   */
  Outcome cutover(Duration timeout) throws InterruptedException;

  /** Lets suspended tables catch up from where they stand; all or none. Returns at once. */
  Outcome resume(List<TableId> tables);

  /** Has tables copied anew while the others go on; all or none. Returns at once. */
  Outcome reload(List<TableId> tables);

  /** Has all that waits after a failure tried again at once. Returns at once. */
  Outcome retry();

  /**
   * Changes settings, until the daemon ends; all or none.
   *
   * @param values values by the settings' names
   */
  Outcome tune(Map<String, String> values);

  /**
   * Asks the task to end; returns at once.
   *
   * @param drop also removes slot, publication, topics and control rows
   */
  void stop(boolean drop);

  /**
   * How a request ended. Immutable.
   *
   * @param success whether it is all that was asked for
   * @param message one sentence for people
   * @param details further lines
   */
  record Outcome(
      boolean success, double seconds, String message, List<String> details, Ending ending) {

    /** One that is either done or failed. */
    public Outcome(boolean success, double seconds, String message, List<String> details) {
      this(success, seconds, message, details, success ? Ending.DONE : Ending.FAILED);
    }

    /** One that is neither. */
    public static Outcome of(Ending ending, double seconds, String message, List<String> details) {
      return new Outcome(ending == Ending.DONE, seconds, message, details, ending);
    }
  }

  /** In which way a request ended. */
  enum Ending {
    DONE,
    FAILED,
    /** It still runs, and nobody knows yet how it ends. */
    UNDECIDED,
    /** It was done, but for what the details name. */
    NOT_COVERED
  }
}
