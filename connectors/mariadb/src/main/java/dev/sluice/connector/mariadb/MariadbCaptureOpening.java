package dev.sluice.connector.mariadb;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.mariadb.capture.LogMemory;
import dev.sluice.connector.mariadb.capture.MariadbCapture;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.search.AppliedPlaces;
import dev.sluice.connector.mariadb.capture.table.MysqlTables;
import dev.sluice.connector.mariadb.capture.table.PresentTables;
import dev.sluice.connector.mariadb.log.HistoryProof;
import dev.sluice.connector.mariadb.log.ReadProgress;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.PreparedTransactions;
import dev.sluice.connector.mariadb.server.ReplicatedChanges;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts a capture: proves where it begins, and asks the server what the log does not tell. Used by
 * one thread.
 *
 * @param task its name
 * @param progress gets what the capture has read
 * @param memory of the task, which outlives a capture
 */
record MariadbCaptureOpening(
    String task,
    MariadbServer server,
    ValuePolicy values,
    HistoryProof history,
    ReadProgress progress,
    LogMemory memory) {
  private static final Logger LOG = LoggerFactory.getLogger(MariadbCaptureOpening.class);

  MariadbCapture open(CaptureRequest request, CaptureScope scope) {
    requireWholeLog();
    Position start = memory.start().from(request.start());
    LogHistory atStart = history.require(start);
    warnOfPrepared();
    if (request.stop().orElse(null) instanceof CdcStop.AtPosition stop) {
      history.lookForStop(stop.position(), targetBefore(request, start), start, memory.stop());
    }
    progress.begin(start);
    MysqlTables mysql =
        server.read(
            "read the tables of " + server,
            connection -> MysqlTables.read(connection, server.database()));
    MariadbCapture capture =
        new MariadbCapture(
            new MariadbCapture.Setup(
                task,
                server.endpoint(),
                server.read("read the settings of " + server, LogServer::read),
                atStart,
                values,
                memory),
            request,
            scope,
            mysql,
            () ->
                server.read(
                    "read the engines of the tables of " + server,
                    connection -> PresentTables.read(connection, server.database())));
    progress.follow(() -> capture.progress().acknowledged().max(start));
    return capture;
  }

  /** Before a load has ended the target has what its snapshot shows. */
  private static AppliedPlaces targetBefore(CaptureRequest request, Position start) {
    Position applied = request.applied().position();
    Position lowest = applied.equals(Position.ZERO) ? start : applied;
    return new AppliedPlaces(
        BinlogPosition.of(lowest), BinlogPosition.of(lowest.max(request.applied().furthest())));
  }

  /** The server may have become a replica since the checks, or may be another one now. */
  private void requireWholeLog() {
    server
        .read(
            "ask whether the server logs all changes",
            connection -> ReplicatedChanges.missingInLog(new MariadbQuery(connection)))
        .ifPresent(
            problem -> {
              throw new SluiceException.Fatal(problem);
            });
  }

  /** A transaction of XA may have been prepared behind the start as well: that is followed. */
  private void warnOfPrepared() {
    server
        .read("list the prepared transactions of " + server, PreparedTransactions::read)
        .filter(prepared -> !prepared.isEmpty())
        .ifPresent(
            prepared ->
                LOG.warn(
                    "transactions of XA are prepared: {}. If one was prepared before the start of"
                        + " this capture, its commit stops the task; XA ROLLBACK does not",
                    prepared));
  }
}
