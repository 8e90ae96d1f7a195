package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.EventBatch;
import dev.sluice.connector.journal.SourceEvent;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogOffset;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.position.MariadbTransaction;
import dev.sluice.connector.mariadb.capture.position.MysqlTransaction;
import dev.sluice.connector.mariadb.capture.statement.LoggedStatement;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.capture.stream.LogBytes;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.capture.table.KnownTables;
import dev.sluice.connector.mariadb.capture.table.LastTables;
import dev.sluice.connector.mariadb.capture.table.LogStatements;
import dev.sluice.connector.mariadb.capture.table.NumberedTables;
import dev.sluice.connector.mariadb.server.Flavour;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/*
 * A transaction of MariaDB: GTID | QUERY, or TABLE_MAP and rows, as often as it has statements | XID, or QUERY
 * COMMIT or ROLLBACK, or XA_PREPARE. A GTID with the flag STANDALONE is followed by one QUERY only, of
 * DDL. The log has transactions in the order of their commits, one after the other.
 *
 * One of MySQL: GTID or ANONYMOUS_GTID | QUERY BEGIN | TABLE_MAP and rows, as often as it has
 * statements | XID, or QUERY COMMIT or ROLLBACK; or GTID | QUERY XA START | … | XA_PREPARE; or GTID | one
 * other QUERY.
 *
 * A file begins with a FORMAT_DESCRIPTION, whose time
 * is that of the file; who begins to read within a file gets it first, too.
 */
/**
 * Decodes the events of the binary log. A transaction's changes are passed on before its end is
 * known; what was undone afterwards, or may have been, stops the capture. Owned by the thread that
 * reads the log.
 */
public final class BinlogDecoder {
  private static final String XA_COMMIT = "XA COMMIT";
  private static final String XA_ROLLBACK = "XA ROLLBACK";

  private final Flavour flavour;
  private final NumberedTables tables;
  private final LogStatements statements;

  private List<SourceEvent> events = new ArrayList<>();
  private long bytes;

  private final LogOffset offset;
  private final LogBoundary boundary;
  private final DecodedTransaction transaction = new DecodedTransaction();
  private final EmptyPreparations preparations;

  /**
   * @param flavour which server writes the log
   * @param start where the first event is read; between two transactions
   * @param history what the server has said of that place
   */
  BinlogDecoder(
      Flavour flavour,
      BinlogPosition start,
      LogHistory history,
      NumberedTables tables,
      LogStatements statements,
      EmptyPreparations preparations) {
    this.flavour = flavour;
    this.preparations = preparations;
    this.boundary = new LogBoundary(start, history);
    this.offset = new LogOffset(start.offset());
    this.tables = tables;
    this.statements = statements;
  }

  /** Follows the transactions from a place of the log, and captures no table. */
  public static BinlogDecoder ofTransactions(
      LogServer server, BinlogPosition start, LogHistory history) {
    CaptureScope nothing = CaptureScope.of(new SourceCatalog(List.of()));
    KnownTables none = KnownTables.byTheLog(nothing, server.anyCase());
    return new BinlogDecoder(
        server.flavour(),
        start,
        history,
        NumberedTables.withoutRows(server, none, nothing),
        statement -> List.of(),
        EmptyPreparations.ofNoTables());
  }

  /** From here on each end says which transactions were read up to there. */
  public BinlogDecoder naming(LoggedTransactions transactions) {
    boundary.naming(transactions);
    return this;
  }

  /** Size in the log of the events decoded since the last {@link #take}, in bytes. */
  long bytes() {
    return bytes;
  }

  /** The events decoded since the last call. */
  public EventBatch take() {
    EventBatch batch = new EventBatch(events, bytes);
    events = new ArrayList<>(events.size() + 16);
    bytes = 0;
    return batch;
  }

  /** The end of the last complete transaction, or of what came behind it. */
  public BinlogPosition boundary() {
    return boundary.place();
  }

  /** What is known of the tables at the boundary; empty if a statement behind it was read. */
  Optional<LastTables.Known> knownTables() {
    tables.reach(boundary.place(), boundary.history());
    return tables.knownAt(boundary.place(), boundary.history());
  }

  /**
   * Decodes an event.
   *
   * @throws SluiceException.Fatal if it cannot be journaled, naming it and its place in the log
   */
  public void decode(LogEvent sent) {
    LogEvent event = sent.endingAt(offset.after(sent, transaction.isOpen()));
    tables.reach(boundary.place(), boundary.history());
    if (!event.artificial() && !EventType.isHeartbeat(event.type())) {
      boundary.event(event.seconds());
    }
    try {
      read(event);
      bytes += event.body().end();
    } catch (SluiceException.Fatal e) {
      throw UnreadableEvent.at(event, e);
    } catch (IndexOutOfBoundsException | ArithmeticException | IllegalArgumentException e) {
      throw UnreadableEvent.malformed(event, e);
    }
  }

  private void read(LogEvent event) {
    int type = event.type();
    if (!EventType.isOf(flavour, type)) {
      throw UnreadableEvent.of("an event of the unknown type " + type);
    }
    if (EventType.isRows(type)) {
      rows(event);
      return;
    }
    switch (type) {
      case EventType.GTID -> {
        MariadbTransaction begun = MariadbTransaction.read(event);
        transaction.requireClosed(event);
        transaction.begin(begun);
        boundary.begin(begun);
      }
      case EventType.MYSQL_GTID, EventType.MYSQL_ANONYMOUS_GTID, EventType.MYSQL_TAGGED_GTID -> {
        MysqlTransaction begun = MysqlTransaction.read(event);
        transaction.requireClosed(event);
        transaction.begin(begun);
        boundary.begin(begun);
      }
      case EventType.TABLE_MAP -> tables.describe(event.body());
      case EventType.XID -> commit(event);
      case EventType.QUERY, EventType.COMPRESSED_QUERY -> query(event);
      case EventType.ROTATE -> rotate(event);
      case EventType.FORMAT_DESCRIPTION -> {
        transaction.forgetUnfinished();
        transaction.requireClosed(event);
        tables.forget();
        boundary.describe(event);
        advance(event);
      }
      case EventType.HEARTBEAT,
          EventType.HEARTBEAT_2,
          EventType.MYSQL_PREVIOUS_GTIDS,
          EventType.STOP,
          EventType.GTID_LIST,
          EventType.BINLOG_CHECKPOINT,
          EventType.START_ENCRYPTION ->
          advance(event);
      case EventType.ANNOTATE_ROWS,
          EventType.ROWS_QUERY,
          EventType.INTVAR,
          EventType.RAND,
          EventType.USER_VAR -> {
        // Of what follows: rows, or a statement.
      }
      case EventType.TRANSACTION_CONTEXT, EventType.VIEW_CHANGE -> {
        // Of a group of servers: they have no rows.
      }
      case EventType.XA_PREPARE -> prepared(event);
      case EventType.APPEND_BLOCK,
          EventType.DELETE_FILE,
          EventType.BEGIN_LOAD_QUERY,
          EventType.EXECUTE_LOAD_QUERY ->
          throw LoggedStatement.asStatement("LOAD DATA");
      case EventType.INCIDENT ->
          throw UnreadableEvent.of(
              "an incident: the server lost changes that it should have logged");
      case EventType.PARTIAL_UPDATE_ROWS ->
          throw UnreadableEvent.of(
              "an update with parts of JSON (binlog_row_value_options=PARTIAL_JSON)");
      case EventType.TRANSACTION_PAYLOAD ->
          throw UnreadableEvent.of("a compressed transaction (binlog_transaction_compression=ON)");
      default -> throw UnreadableEvent.of("an event of the unknown type " + type);
    }
  }

  private void rows(LogEvent event) {
    transaction.requireOpen(event);
    LogBytes body = event.body();
    long number = body.number(6);
    int flags = (int) body.number(2);
    tables.requireLogged(number, event.type(), flags);
    if (EventType.hasExtraBytes(event.type())) {
      body.skip((int) body.number(2) - 2);
    }
    tables.obstacle(number).ifPresent(this::add);
    tables.table(number).ifPresent(table -> table.decode(event, body, this::add));
  }

  private void query(LogEvent event) {
    transaction.requireOpen(event);
    LoggedStatement statement = LoggedStatement.read(event, tables.collations());
    String text = statement.text().strip();
    String upper = text.toUpperCase(Locale.ROOT);
    transaction.reads(upper);
    if (upper.equals("COMMIT")) {
      commit(event);
    } else if (upper.equals("ROLLBACK")) {
      transaction.rollback();
      commit(event);
    } else if (upper.startsWith("SAVEPOINT ")) {
      transaction.savepoint(statement);
    } else if (upper.startsWith("ROLLBACK TO ")) {
      transaction.rollbackTo(statement);
    } else if (upper.startsWith("XA ")) {
      xa(event, upper);
    } else if (!upper.equals("BEGIN") && !upper.equals("START TRANSACTION")) {
      if (!transaction.altersNothing()) {
        statements.changesBy(statement).forEach(this::add);
      }
      if (transaction.isStandalone()) {
        commit(event);
      }
    }
  }

  /** The changes of a prepared transaction are in the log before it is known whether they stay. */
  private void prepared(LogEvent event) {
    transaction.requireOpen(event);
    LogBytes body = event.body();
    // MySQL logs XA COMMIT … ONE PHASE so.
    boolean committed = body.next() != 0;
    if (!committed) {
      if (transaction.hasChanges()) {
        throw UnreadableEvent.of("a transaction of XA with changes of captured tables");
      }
      preparations.add(body);
    }
    commit(event);
  }

  /** XA START and XA END enclose the changes; XA COMMIT and XA ROLLBACK stand alone. */
  private void xa(LogEvent event, String statement) {
    if (statement.startsWith(XA_COMMIT)) {
      if (!preparations.has(statement.substring(XA_COMMIT.length()).strip())) {
        throw UnreadableEvent.of(
            "the commit of a transaction of XA that was prepared before this capture began: its"
                + " changes are before that place");
      }
      commit(event);
    } else if (statement.startsWith(XA_ROLLBACK)) {
      commit(event);
    }
  }

  private void commit(LogEvent event) {
    transaction.requireOpen(event);
    transaction.end();
    boundary.commit(event, transaction.commitMicros(event)).ifPresent(events::add);
  }

  private void rotate(LogEvent event) {
    transaction.forgetUnfinished();
    transaction.requireClosed(event);
    LogBytes body = event.body();
    long offset = body.number(8);
    boundary.rotate(body.text(body.end() - body.at()), offset, flavour);
    this.offset.goTo(offset);
  }

  private void advance(LogEvent event) {
    if (!transaction.isOpen()) {
      boundary.advance(event).ifPresent(events::add);
    }
  }

  private void add(ChangeEvent change) {
    transaction.changes();
    events.add(new SourceEvent.Changed(change));
  }
}
