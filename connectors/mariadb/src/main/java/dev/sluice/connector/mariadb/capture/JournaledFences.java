package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.Publisher;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Journals the fences of a task when the log was read up to them, each as a transaction of its own.
 * One that is not acknowledged before the capture ends is journaled by the next one. Owned by the
 * capture's publishing thread.
 */
final class JournaledFences {
  private final LogFences fences;
  private final String prefix;
  private final LogServer server;
  private final Publisher publisher;

  /** Those that are not acknowledged, with the ends of their transactions. */
  private final Map<LogFences.Fence, Position> sent = new LinkedHashMap<>();

  JournaledFences(LogFences fences, String task, LogServer server, Publisher publisher) {
    this.fences = fences;
    this.prefix = "sluice." + task + ".fence";
    this.server = server;
    this.publisher = publisher;
  }

  /**
   * Journals the fences that were reached. Called between two transactions.
   *
   * @param read up to where the log was read
   * @param bookmark of that place
   * @return the end of the last of their transactions; empty if none was reached
   */
  Optional<Position> publish(Position read, String bookmark) {
    BinlogPosition reached = BinlogPosition.of(read);
    Optional<Position> last = Optional.empty();
    for (LogFences.Fence fence : fences.waiting()) {
      if (!sent.containsKey(fence)
          && fence.end().timeline() == reached.timeline()
          && fence.end().compareTo(reached) <= 0) {
        publisher.change(
            new Message(prefix, fence.position().toString().getBytes(StandardCharsets.US_ASCII)));
        Position end = reached.position(fences.nextNumber(), BinlogPosition.markOf(read));
        publisher.commit(end, server.micros(fence.asked()), 0, bookmark);
        sent.put(fence, end);
        last = Optional.of(end);
      }
    }
    return last;
  }

  /** The journal is durable up to this position. */
  void acknowledged(Position position) {
    sent.entrySet()
        .removeIf(
            each -> {
              boolean durable = !each.getValue().isAfter(position);
              if (durable) {
                fences.journaled(each.getKey());
              }
              return durable;
            });
  }
}
