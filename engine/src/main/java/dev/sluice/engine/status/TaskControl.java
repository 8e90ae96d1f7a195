package dev.sluice.engine.status;

import dev.sluice.config.TableId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** The commands that a running task executes for clients. Threadsafe. */
public interface TaskControl {

  TaskStatus status();

  /** The task's name. Asks no server. */
  default String task() {
    return status().task();
  }

  /** The status together with values that only the metrics show, of the same moment. */
  default Scrape scrape() {
    return new Scrape(status(), TaskMeasurements.NONE);
  }

  /**
   * Waits until everything committed on the source before the call is durably on the target, also
   * of tables that are reloading or catching up. Suspended tables make it fail.
   */
  default Outcome fence(Duration timeout) throws InterruptedException {
    return fence(timeout, false);
  }

  /**
   * Like {@link #fence(Duration)}.
   *
   * @param exceptSuspended whether it succeeds with suspended tables, which the message lists
   */
  Outcome fence(Duration timeout, boolean exceptSuspended) throws InterruptedException;

  /** Cuts over a source that is quiet by itself. */
  default Outcome cutover(Duration timeout) throws InterruptedException {
    return cutover(CutoverOrder.quiet(timeout));
  }

  /**
   * Cuts over, or continues a cutover that was begun; waits for its verdict.
   *
   * @param order if it accepts choices or stops writers, a cutover begins only if {@link
   *     #cutoverReport} says go
   */
  Outcome cutover(CutoverOrder order) throws InterruptedException;

  /**
   * Runs a cutover up to its decision, and releases the source again; changes nothing.
   *
   * @param order with the time for which writers may be stopped
   */
  Outcome rehearse(CutoverOrder order) throws InterruptedException;

  /**
   * Reads both sides and reports whether a cutover could begin now; changes nothing.
   *
   * @param order of the cutover that it is for
   * @throws dev.sluice.config.document.SluiceException if the source cannot be read
   */
  CutoverReport cutoverReport(CutoverOrder order) throws InterruptedException;

  /** Lets suspended tables catch up from their positions; all or none. Returns at once. */
  Outcome resume(List<TableId> tables);

  /** Copies tables again while the others continue; all or none. Returns at once. */
  Outcome reload(List<TableId> tables);

  /**
   * Compares tables on both sides once, exactly, while changes are applied; waits for it.
   *
   * @param tables empty: all
   * @param record names the {@link RecordFile} that is written; empty without one
   */
  Outcome validate(List<TableId> tables, Optional<UUID> record) throws InterruptedException;

  /**
   * Repairs the rows of tables that the validation has listed as different; waits for it.
   *
   * @param tables empty: all
   * @param deleteExtra whether rows that only the target has are deleted
   */
  Outcome repair(List<TableId> tables, boolean deleteExtra) throws InterruptedException;

  /**
   * Compares tables row by row and makes the rows of the target that differ equal to the source's,
   * while changes are applied; waits for it.
   *
   * @param deleteExtra whether rows that only the target has are deleted
   */
  Outcome resync(List<TableId> tables, boolean deleteExtra) throws InterruptedException;

  /** Retries at once everything that waits after a failure. Returns at once. */
  Outcome retry();

  /**
   * Changes settings, until the daemon ends; all or none.
   *
   * @param values by the settings' names
   */
  Outcome tune(Map<String, String> values);

  /**
   * Changes levels of the log, until the daemon ends; all or none. Lists them if none is given.
   *
   * @param levels by package
   */
  Outcome logging(Map<String, String> levels);

  /**
   * Requests the task's end; returns at once.
   *
   * @param drop also removes what the task created: on the source, topics and control rows
   */
  void stop(boolean drop);

  /**
   * The result of a command. Immutable.
   *
   * @param success whether the command did everything
   * @param message one sentence for people
   * @param details further lines
   */
  record Outcome(
      boolean success, double seconds, String message, List<String> details, Ending ending) {
    public Outcome {
      message = Objects.requireNonNullElse(message, "");
      details = TaskStatus.listOf(details);
      ending = Objects.requireNonNullElse(ending, Ending.FAILED);
    }

    /** A result that is either done or failed. */
    public Outcome(boolean success, double seconds, String message, List<String> details) {
      this(success, seconds, message, details, success ? Ending.DONE : Ending.FAILED);
    }

    /** A result with any ending. */
    public static Outcome of(Ending ending, double seconds, String message, List<String> details) {
      return new Outcome(ending == Ending.DONE, seconds, message, details, ending);
    }
  }

  /** How a command ended. */
  enum Ending {
    DONE,
    FAILED,
    /** It still runs and has no result yet. */
    UNDECIDED,
    /** It is done, but the target lacks what the details list. */
    NOT_COVERED
  }
}
