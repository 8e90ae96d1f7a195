package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.table.FollowedDdl;
import dev.sluice.connector.mariadb.capture.table.KnownTables;
import dev.sluice.connector.mariadb.capture.table.NewNames;
import dev.sluice.connector.mariadb.capture.table.NumberedTables;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the log says about the captured tables before the start of a capture: reads the file
 * that contains the start, from its beginning. Needed if a statement, and not a row, is the first
 * event of a table. Used by the thread that decodes the log.
 */
final class LogPast implements Supplier<Optional<KnownTables>> {
  private static final Logger LOG = LoggerFactory.getLogger(LogPast.class);

  private final LogServer server;
  private final LogBeginnings beginnings;
  private final CaptureScope scope;
  private final BinlogPosition start;

  LogPast(LogServer server, Endpoint endpoint, CaptureScope scope, BinlogPosition start) {
    this.server = server;
    this.beginnings = new LogBeginnings(endpoint);
    this.scope = scope;
    this.start = start;
  }

  /** The tables at the start; empty if the log cannot be read. */
  @Override
  public Optional<KnownTables> get() {
    String file = start.fileName(server.base());
    KnownTables known = KnownTables.byTheLog(scope, server.anyCase());
    if (start.offset() <= BinlogPosition.FIRST_EVENT) {
      return Optional.empty();
    }
    FollowedDdl statements = new FollowedDdl(known, NewNames.known(known::isCaptured));
    try {
      BinlogDecoder decoder =
          new BinlogDecoder(
              server.flavour(),
              start.at(BinlogPosition.FIRST_EVENT),
              new LogHistory(server.base(), beginnings.secondsOf(file), ""),
              NumberedTables.withoutRows(server, known, scope),
              statement -> {
                statements.changesBy(statement);
                return List.of();
              },
              new EmptyPreparations());
      LOG.info("reading {} up to offset {}, to know the tables at the start", file, start.offset());
      beginnings.read(
          file,
          event -> {
            decoder.decode(event);
            decoder.take();
            return decoder.boundary().compareTo(start) < 0;
          });
      return Optional.of(known);
    } catch (SluiceException e) {
      LOG.warn("the log before the start could not be read: {}", e.getMessage());
      return Optional.empty();
    }
  }
}
