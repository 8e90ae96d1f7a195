package dev.sluice.connector.postgres.slot;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.connector.api.source.TaskMark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees a slot from the server process by which an earlier daemon of the task reads it. Immutable.
 *
 * @param name the slot's
 * @param mark identifies the task's own sessions
 */
record SlotRelease(String name, TaskMark mark) {
  private static final Logger LOG = LoggerFactory.getLogger(SlotRelease.class);

  private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  /**
   * Terminates that process, and waits until the slot is free.
   *
   * @throws SluiceException.Fatal if the slot certainly belongs to another task or program; its
   *     reader is not terminated
   */
  void run(Connection connection) throws SQLException {
    OptionalLong reader =
        Polling.every(POLL_INTERVAL)
            .waitFor(
                "the replication slot",
                RELEASE_TIMEOUT,
                () -> terminateReader(connection),
                OptionalLong::isEmpty);
    if (reader.isPresent()) {
      throw new SluiceException.Retryable(
          "server process %2$d still reads replication slot %1$s after %3$d s"
              .formatted(name, reader.getAsLong(), RELEASE_TIMEOUT.toSeconds()),
          null);
    }
  }

  /** Terminates the process of this task that reads the slot; empty if there is none. */
  private OptionalLong terminateReader(Connection connection) throws SQLException {
    OptionalLong pid = ownReader(connection);
    if (pid.isPresent()) {
      LOG.info(
          "server process {} of an earlier daemon still reads slot {}: it is terminated",
          pid.getAsLong(),
          name);
      try (PreparedStatement statement =
          connection.prepareStatement("SELECT pg_catalog.pg_terminate_backend(?)")) {
        statement.setInt(1, (int) pid.getAsLong());
        statement.execute();
      }
    }
    return pid;
  }

  private OptionalLong ownReader(Connection connection) throws SQLException {
    Optional<FoundSlot> found = FoundSlot.find(connection, name);
    if (found.isPresent() && found.get().isForeignTo(mark)) {
      throw new SluiceException.Fatal(found.get().leftAlone());
    }
    return found.map(FoundSlot::activePid).orElse(OptionalLong.empty());
  }
}
