package dev.sluice.engine.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
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
    long pid) {
  private static final Logger LOG = LoggerFactory.getLogger(LastState.class);

  private static final String FILE = "last-state.json";

  public LastState {
    phase = Objects.requireNonNullElse(phase, "");
    reason = Objects.requireNonNullElse(reason, "");
  }

  /**
   * Replaces the file; a failure is only logged. Called by the monitor, and by the thread that
   * enters a new phase.
   */
  public static synchronized void write(Path dataDirectory, TaskStatus status, Instant now) {
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
            status.pid());
    try {
      Path written =
          Files.createTempFile(
              dataDirectory,
              FILE,
              null,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(written, StatusJson.write(state));
      Files.move(written, dataDirectory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException e) {
      LOG.warn("the state of the task cannot be written to {}: {}", dataDirectory, e.toString());
    }
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
}
