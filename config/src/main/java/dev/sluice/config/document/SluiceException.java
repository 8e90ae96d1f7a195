package dev.sluice.config.document;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * A failure, classified once where it arises. The subclass decides the reaction: retry, the error
 * policy for data or tables, stop, restart from the checkpoint, or yield to another daemon.
 */
public abstract sealed class SluiceException extends RuntimeException {

  private SluiceException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * The environment failed: a connection broke or a server does not answer. The same call may
   * succeed later.
   */
  public static sealed class Retryable extends SluiceException permits LostCache, Unexplained {
    public Retryable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * A local file with a copy of Kafka's data cannot be read or written. The same call fails again,
   * but nothing is lost: a restart from the checkpoint re-creates the file.
   */
  public static final class LostCache extends Retryable {
    public LostCache(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * A server failed and gave no reason that is known to pass. The same call may succeed later, or
   * never: who tries it again does so for a bounded time.
   */
  public static final class Unexplained extends Retryable {
    public Unexplained(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The target rejects a row or value; ErrorBehavior's policies for data decide. */
  public static final class Data extends SluiceException {
    public Data(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * Changes cannot be applied because of the table's definition on the target; TableErrorPolicy
   * decides.
   */
  public static final class Table extends SluiceException {
    private final TableId table;
    private final List<Problem> problems;

    /**
     * @param table the source table
     * @param problems why its changes cannot be applied; at least one
     */
    public Table(TableId table, List<Problem> problems) {
      super(String.join("\n", problems.stream().map(Problem::toString).toList()), null);
      this.table = table;
      this.problems = List.copyOf(problems);
    }

    /** The source table. */
    public TableId table() {
      return table;
    }

    public List<Problem> problems() {
      return problems;
    }
  }

  /** A retry cannot succeed: the task stops and reports the problems. */
  public static final class Fatal extends SluiceException {
    private final List<Problem> problems;

    public Fatal(String message, Throwable cause) {
      super(message, cause);
      this.problems = List.of();
    }

    public Fatal(Problem problem) {
      this(List.of(problem));
    }

    public Fatal(List<Problem> problems) {
      super(String.join("\n", problems.stream().map(Problem::toString).toList()), null);
      this.problems = List.copyOf(problems);
    }

    /** The problems behind the failure; empty if the message says everything. */
    public List<Problem> problems() {
      return problems;
    }
  }

  /**
   * The target's checkpoint is not the position at which the state in memory continues. The target
   * crashed and lost its last asynchronous commits, or was restored, or an abandoned session
   * committed late. Discard the state in memory and continue from the checkpoint.
   */
  public static final class Rewound extends SluiceException {
    public Rewound(String message) {
      super(message, null);
    }
  }

  /**
   * A source table was altered, renamed or dropped after the plan was made. Nothing failed: read
   * the tables and plan again.
   */
  public static final class Overtaken extends SluiceException {
    public Overtaken(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Another daemon claimed a newer epoch of this task: this one must stop and must not write. */
  public static final class Fenced extends SluiceException {
    public Fenced(String message) {
      super(message, null);
    }
  }
}
