package dev.sluice.config.document;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * A failure whose kind is decided where it arises, once. The subclass tells what may be done: try
 * again, treat as bad data or a bad table, stop, begin again from the checkpoint, or give way to
 * another daemon.
 */
public abstract sealed class SluiceException extends RuntimeException {

  private SluiceException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The environment failed: a connection broke, a server is away. The same call may succeed. */
  public static sealed class Retryable extends SluiceException permits LostCache {
    public Retryable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * A file that keeps what Kafka has cannot be read or written. The same call will not succeed, but
   * nothing is lost: who begins again from the checkpoint makes the file anew.
   */
  public static final class LostCache extends Retryable {
    public LostCache(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The data cannot be applied as it is; goes by the error policy. */
  public static final class Data extends SluiceException {
    public Data(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** A table's definition on the target keeps its changes out; goes by the table error policy. */
  public static final class Table extends SluiceException {
    private final TableId table;
    private final List<Problem> problems;

    /**
     * @param table the source table
     * @param problems what keeps its changes out; at least one
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

  /** Trying again cannot help: the task stops and says why. */
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

    /** The problems behind the failure; empty where it has no more to say than its message. */
    public List<Problem> problems() {
      return problems;
    }
  }

  /**
   * The target's checkpoint is not where what is in memory goes on: the target crashed and lost its
   * last asynchronous commits, or was restored, or a session that was given up has committed after
   * all. What is in memory is void; go on from the checkpoint.
   */
  public static final class Rewound extends SluiceException {
    public Rewound(String message) {
      super(message, null);
    }
  }

  /**
   * The source's tables are no longer what was planned with: one was altered, renamed or dropped
   * meanwhile. Nothing failed; look again and plan anew.
   */
  public static final class Overtaken extends SluiceException {
    public Overtaken(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Another daemon claimed this task's next epoch: this one must stop and write nothing more. */
  public static final class Fenced extends SluiceException {
    public Fenced(String message) {
      super(message, null);
    }
  }
}
