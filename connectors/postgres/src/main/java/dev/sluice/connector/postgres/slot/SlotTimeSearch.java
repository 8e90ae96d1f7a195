package dev.sluice.connector.postgres.slot;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.postgres.server.LogStream;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Finds a transaction in a slot's log by the time of its commit. Reads the log as a capture does,
 * and confirms nothing: the slot stays where it is. Used by one thread.
 */
final class SlotTimeSearch {
  /** Times of the replication protocol are microseconds since then. */
  private static final Instant PROTOCOL_EPOCH = Instant.parse("2000-01-01T00:00:00Z");

  private static final Duration PAUSE = Duration.ofMillis(5);

  private final SourceServer server;
  private final String slot;
  private final String publication;

  SlotTimeSearch(SourceServer server, String slot, String publication) {
    this.server = server;
    this.slot = slot;
    this.publication = publication;
  }

  /**
   * The end of the transaction in front of the first one that was committed at the time or later,
   * in the order of the log.
   *
   * @param fence a message of now in the log: the search ends after it, where the clock was set
   *     back
   * @param sessionName in {@code pg_stat_activity}
   * @throws SluiceException.Fatal if nothing shows that the log goes back to the time
   */
  Position before(Instant time, Position fence, String sessionName) throws InterruptedException {
    try (LogStream stream = LogStream.open(server, slot, List.of(publication), sessionName)) {
      Position found = before(time, fence, stream);
      stream.end();
      return found;
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the log that slot " + slot + " keeps", e);
    }
  }

  private Position before(Instant time, Position fence, LogStream stream)
      throws SQLException, InterruptedException {
    Optional<Position> last = Optional.empty();
    while (last.filter(end -> end.isAfter(fence)).isEmpty()) {
      ByteBuffer message = stream.readPending();
      if (message == null) {
        TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
        continue;
      }
      byte type = message.get();
      if (type == 'B') {
        message.getLong();
        Instant commit = PROTOCOL_EPOCH.plus(message.getLong(), ChronoUnit.MICROS);
        if (!commit.isBefore(time)) {
          return last.orElseThrow(() -> mayBeGone(time, commit));
        }
      } else if (type == 'C') {
        message.get();
        message.getLong();
        last = Optional.of(new Position(message.getLong()));
      }
    }
    return last.orElseThrow();
  }

  private SluiceException mayBeGone(Instant time, Instant first) {
    return new SluiceException.Fatal(
        new Problem(
            "cdc-start-position commit_time:" + time,
            "the first transaction that replication slot %s has was committed at %s: earlier ones may be gone"
                .formatted(slot, first),
            "a time after the commit of a transaction that the slot still has",
            "Name a slot that was created before that time. If there is none, remove"
                + " cdc-start-position, and make the target equal by difference: sluice resync"
                + " before the first start"));
  }
}
