package dev.sluice.engine.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.sluice.config.PrivateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recorded state of a data directory's last daemon, in a file that only its user can read.
 * Commands show it after the daemon has ended. Immutable.
 *
 * @param at when it was written
 * @param phase in lower case with dashes
 * @param reason why it is in the phase; after a failure the full message
 * @param problem what kept the task from continuing; null if nothing did
 * @param sourcePosition up to which the journal has the source's log; null if unknown
 * @param targetPosition up to which the target has it; null if unknown
 * @param behindSeconds how far the target was behind the source; null if unknown
 * @param pid of the daemon's process; another daemon may have had the same one
 * @param started when the daemon started; together with the pid it identifies the daemon that wrote
 *     this
 * @param next what may follow
 */
public record LastState(
    String task,
    Instant at,
    String phase,
    Instant since,
    String reason,
    String problem,
    String sourcePosition,
    String targetPosition,
    Double behindSeconds,
    long pid,
    Instant started,
    Next next) {
  private static final Logger LOG = LoggerFactory.getLogger(LastState.class);

  private static final String FILE = "last-state.json";

  /** A problem's message may be long. */
  private static final long MOST_BYTES = 1 << 20;

  /** What may follow after the daemon has ended. */
  public enum Next {
    /** The next start continues. */
    CONTINUE,
    /** The applications use the target: nothing is applied any more. */
    CUT_OVER,
    /** All that the task created is removed: a start would begin from nothing. */
    REMOVED
  }

  public LastState {
    next = Objects.requireNonNullElse(next, Next.CONTINUE);
    phase = Objects.requireNonNullElse(phase, "");
    reason = Objects.requireNonNullElse(reason, "");
  }

  /**
   * Replaces the file; a failure is only logged. Called by the monitor, and by the thread that
   * enters a new phase.
   *
   * @param removed whether the task was removed
   */
  public static synchronized void write(
      Path dataDirectory, TaskStatus status, boolean removed, Instant now) {
    LastState state =
        new LastState(
            status.task(),
            now,
            status.phase(),
            status.since(),
            status.reason(),
            status.problem(),
            status.source().position(),
            status.target().position(),
            status.latency().targetSeconds(),
            status.pid(),
            status.started(),
            next(status, removed));
    try {
      PrivateFile.replace(dataDirectory, FILE, StatusJson.write(state));
    } catch (IOException | RuntimeException e) {
      LOG.warn("the state of the task cannot be written to {}: {}", dataDirectory, e.toString());
    }
  }

  private static Next next(TaskStatus status, boolean removed) {
    if (removed) {
      return Next.REMOVED;
    }
    boolean cutOver =
        status.sourceWatch() != null
            || status.cutover() != null && status.cutover().result().equals("done");
    return cutOver ? Next.CUT_OVER : Next.CONTINUE;
  }

  /** Whether that daemon wrote it, and not an earlier one. */
  public boolean isOf(TaskStatus daemon) {
    return pid == daemon.pid() && Objects.equals(started, daemon.started());
  }

  /** Reads the file; empty if no daemon has run, or the file cannot be read. */
  public static Optional<LastState> read(Path dataDirectory) {
    try {
      return Optional.of(
          StatusJson.read(Files.readString(dataDirectory.resolve(FILE)), LastState.class));
    } catch (JsonProcessingException e) {
      LOG.warn("{} cannot be read: {}", dataDirectory.resolve(FILE), e.getOriginalMessage());
      return Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Reads that of another task: whatever cannot be read, or is too large, is no state. */
  public static Optional<LastState> ofOther(Path dataDirectory) {
    Path file = dataDirectory.resolve(FILE);
    try {
      return Files.isRegularFile(file) && Files.size(file) <= MOST_BYTES
          ? Optional.of(StatusJson.read(Files.readString(file), LastState.class))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
