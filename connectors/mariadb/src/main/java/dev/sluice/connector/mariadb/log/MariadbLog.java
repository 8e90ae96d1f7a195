package dev.sluice.connector.mariadb.log;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.OpenTransaction;
import dev.sluice.connector.api.source.SourceLog;
import dev.sluice.connector.api.source.SourceSession;
import dev.sluice.connector.api.source.StopReading;
import dev.sluice.connector.mariadb.capture.GtidStop;
import dev.sluice.connector.mariadb.capture.LogMemory;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The binary log: its end, and the sessions that write to it. Sluice writes nothing into it. A
 * fence is the position of the log's end; the capture journals it once it has read up to there.
 * Only answers of the server whose log the capture reads count. Used by one thread at a time.
 */
public final class MariadbLog implements SourceLog {
  /** InnoDB shows times in the machine's time zone, whatever the session's is. */
  private static final String OPEN =
      """
      SELECT t.trx_mysql_thread_id, t.trx_id,
        CAST(unix_timestamp(convert_tz(t.trx_started, 'SYSTEM', '+00:00')) AS SIGNED), p.USER
      FROM information_schema.INNODB_TRX t
      LEFT JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id
      WHERE t.trx_rows_modified > 0 AND t.trx_mysql_thread_id <> connection_id()
      ORDER BY t.trx_started, t.trx_id
      """;

  private static final String SESSIONS =
      """
      SELECT p.ID, p.USER, substring_index(p.HOST, ':', 1),
        date_format(date_sub(utc_timestamp(), INTERVAL p.TIME SECOND), '%Y-%m-%dT%H:%i:%s')
      FROM information_schema.PROCESSLIST p
      WHERE p.DB = ? AND p.ID <> connection_id() AND p.COMMAND NOT IN ('Binlog Dump', 'Daemon')
      ORDER BY p.TIME, p.ID
      """;

  private final MariadbServer server;
  private final LogMemory memory;

  public MariadbLog(MariadbServer server, LogMemory memory) {
    this.server = server;
    this.memory = memory;
  }

  /** Above all fences that were set at that end. */
  @Override
  public Position current() {
    return end("read the end of the binary log").last();
  }

  @Override
  public Position lastTransaction() {
    return end("read the end of the binary log").position();
  }

  @Override
  public Position emitFence() {
    Instant asked = Instant.now();
    return memory.fences().set(end("read the end of the binary log for a fence"), asked);
  }

  /** Fences may come after everything that was read. */
  @Override
  public StopReading stop() {
    GtidStop stop = memory.stop();
    return stop.place()
        .<StopReading>map(place -> new StopReading.At(place.highest()))
        .orElseGet(() -> new StopReading.NotUpTo(stop.read().last()));
  }

  @Override
  public void endWindows() {
    emitFence();
  }

  private BinlogPosition end(String attempted) {
    int timeline = memory.server().timeline();
    return asked(
        attempted,
        query ->
            memory
                .server()
                .placed(
                    LogServer.end(query)
                        .orElseThrow(() -> new SQLException("the server writes no binary log")),
                    LogServer.identity(query),
                    timeline));
  }

  /** Transactions are numbered by their places in the log. */
  @Override
  public OptionalLong takeTransactionId() {
    return OptionalLong.of(end("read the end of the binary log").number() + 1);
  }

  @Override
  public Instant clock() {
    return asked(
        "read the source's time",
        query ->
            time(
                query.row("SELECT date_format(utc_timestamp(6), '%Y-%m-%dT%H:%i:%s.%f')")
                    .orElseThrow()[0]));
  }

  @Override
  public List<SourceSession> sessions() {
    return asked(
        "list the source's sessions",
        query ->
            query.rows(SESSIONS, server.database()).stream()
                .map(
                    row ->
                        new SourceSession(
                            Long.parseLong(row[0]),
                            Optional.ofNullable(row[1]),
                            Optional.empty(),
                            Optional.ofNullable(row[2]),
                            Optional.ofNullable(row[3]).map(MariadbLog::time)))
                .toList());
  }

  @Override
  public List<OpenTransaction> openTransactions() {
    return asked(
        "list the source's open transactions",
        query ->
            query.rows(OPEN).stream()
                .map(
                    row ->
                        new OpenTransaction(
                            "connection " + row[0],
                            row[1],
                            Optional.ofNullable(row[2])
                                .map(Long::parseLong)
                                .map(Instant::ofEpochSecond),
                            Optional.ofNullable(row[3]),
                            Optional.empty()))
                .toList());
  }

  /** Always 0: nobody can write messages into this log. */
  @Override
  public long ignoredMessages() {
    return 0;
  }

  private static Instant time(String utc) {
    return LocalDateTime.parse(utc).toInstant(ZoneOffset.UTC);
  }

  private <T> T asked(String attempted, MariadbServer.Question<T> question) {
    try {
      return server.ask(
          query -> {
            memory.server().require(LogServer.identity(query));
            return question.ask(query);
          });
    } catch (SQLException e) {
      throw MariadbFailures.classify(attempted, e);
    }
  }
}
