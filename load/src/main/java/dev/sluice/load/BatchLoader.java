package dev.sluice.load;

import dev.sluice.config.document.SluiceException;
import dev.sluice.load.file.BadRow;
import dev.sluice.load.file.BadRowFiles;
import dev.sluice.load.file.RecordIndex;
import dev.sluice.load.file.RowBatch;
import dev.sluice.load.log.ImportLog;
import dev.sluice.load.log.ImportedBatch;
import dev.sluice.load.target.FileRows;
import dev.sluice.load.target.ImportTarget;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.RowRejection;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads batches of a file over one connection. Each batch is one transaction, together with its
 * entry in the {@link ImportLog}. Owned by the thread that loads; only {@link #abort} may be called
 * from any other.
 *
 * <p>Commits are not synchronous: after a crash of the target, a batch and its entry are lost
 * together. Only the end of the file is recorded durably.
 */
public final class BatchLoader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BatchLoader.class);

  /** Tries of a batch after deadlocks: two batches may wait for each other's keys. */
  private static final int DEADLOCK_TRIES = 10;

  private final TargetConnection connection;
  private final FileRows rows;
  private final ImportLog journal;
  private final long epoch;
  private final Optional<BadRowFiles> badRows;
  private final boolean foreignKeysAndTriggers;

  private BatchLoader(
      TargetConnection connection,
      ImportLog journal,
      long epoch,
      Optional<BadRowFiles> badRows,
      boolean foreignKeysAndTriggers) {
    this.connection = connection;
    this.rows = LoadDialects.of(connection.dialect()).files();
    this.journal = journal;
    this.epoch = epoch;
    this.badRows = badRows;
    this.foreignKeysAndTriggers = foreignKeysAndTriggers;
  }

  /**
   * @param epoch the epoch that the import claimed
   * @param badRows files of bad rows; empty if the first bad row is an error
   * @param foreignKeysAndTriggers true if the target's foreign keys and triggers are active
   */
  public static BatchLoader open(
      TargetServer server,
      ImportLog journal,
      long epoch,
      Optional<BadRowFiles> badRows,
      boolean foreignKeysAndTriggers) {
    TargetConnection connection = server.connect();
    try {
      if (foreignKeysAndTriggers && connection.replicaRole()) {
        LoadDialects.of(connection.dialect()).files().switchOnForeignKeysAndTriggers(connection);
        connection.jdbc().commit();
      }
      return new BatchLoader(connection, journal, epoch, badRows, foreignKeysAndTriggers);
    } catch (SQLException e) {
      connection.close();
      throw connection.errors().classify("prepare a connection for an import", e);
    }
  }

  /**
   * Loads a batch completely or not at all.
   *
   * @throws SluiceException.Data if the target rejects a row and bad rows are not stashed or are
   *     too many; names file, line and reason
   * @throws SluiceException.Fenced if another import of the task has started
   */
  public ImportedBatch load(RowBatch batch, ImportTarget target) {
    for (int tries = 1; ; tries++) {
      try {
        return tryToLoad(batch, target);
      } catch (SQLException e) {
        connection.rollback();
        boolean again =
            connection.errors().faultOf(e) == TargetFault.TRANSACTION_CONFLICT
                && tries < DEADLOCK_TRIES;
        if (!again) {
          throw connection
              .errors()
              .classify(
                  "load %s from line %d on into %s"
                      .formatted(batch.file().name(), batch.place().firstLine(), target.table()),
                  e);
        }
        LOG.info("batch of {} is retried: {}", batch.file().name(), e.getMessage());
      } catch (SluiceException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  private ImportedBatch tryToLoad(RowBatch batch, ImportTarget target) throws SQLException {
    try {
      begin();
      copy(batch, target, 0, batch.bytes().length, batch.place().rows());
    } catch (SQLException e) {
      if (!connection.errors().faultOf(e).isOfRow()) {
        throw e;
      }
      connection.rollback();
      if (badRows.isEmpty()) {
        throw refused(batch, target, e);
      }
      return loadWithout(batch, target, badRows.get());
    }
    ImportedBatch imported = new ImportedBatch(batch.place(), 0, 0);
    journal.note(connection, epoch, batch.file().name(), imported);
    connection.jdbc().commit();
    return imported;
  }

  private void begin() throws SQLException {
    if (foreignKeysAndTriggers) {
      // A violation found only at the commit could not be attributed to a row.
      Optional<String> check = connection.dialect().sessions().checkConstraints();
      if (check.isPresent()) {
        connection.execute(check.get());
      }
    }
  }

  private SluiceException refused(RowBatch batch, ImportTarget target, SQLException error) {
    RowRejection rejection = rows.rejectionOf(error);
    RecordIndex index = batch.index();
    int record =
        rejection.line().isPresent() ? index.recordOf(0, rejection.line().getAsLong()) : -1;
    String place =
        record < 0
            ? "lines %d to %d".formatted(batch.place().firstLine(), batch.place().nextLine() - 1)
            : "line " + index.line(record);
    return new SluiceException.Data(
        "%s, %s: %s does not take the row: %s. Nothing of its batch (from line %d on) is loaded"
            .formatted(
                batch.file().name(),
                place,
                target.table(),
                rejection.reason(),
                batch.place().firstLine()),
        error);
  }

  private ImportedBatch loadWithout(RowBatch batch, ImportTarget target, BadRowFiles files)
      throws SQLException {
    begin();
    List<BadRow> bad = loadGoodRows(batch, target, files);
    if (bad.isEmpty()) {
      ImportedBatch imported = new ImportedBatch(batch.place(), 0, 0);
      journal.note(connection, epoch, batch.file().name(), imported);
      connection.jdbc().commit();
      return imported;
    }
    try (BadRowFiles.Append append = files.append(batch.file(), bad)) {
      ImportedBatch imported = new ImportedBatch(batch.place(), bad.size(), append.end());
      journal.note(connection, epoch, batch.file().name(), imported);
      connection.jdbc().commit();
      append.committed();
      LOG.info("{}: {} bad rows written to the file of bad rows", batch.file().name(), bad.size());
      return imported;
    }
  }

  /*
   * Loads the rows of a batch that the target accepts. It names the line at which it failed; the
   * rows before it, that row alone, and the rows after it are then loaded separately, in this
   * order. The line is only a hint: if it is not the bad row, or none is named, the pieces still
   * get smaller until a single row fails.
   */
  private List<BadRow> loadGoodRows(RowBatch batch, ImportTarget target, BadRowFiles files)
      throws SQLException {
    RecordIndex index = batch.index();
    List<BadRow> bad = new ArrayList<>();
    Deque<Piece> waiting = new ArrayDeque<>();
    waiting.push(new Piece(0, index.size()));
    while (!waiting.isEmpty()) {
      Piece piece = waiting.pop();
      int from = index.start(piece.from());
      int to = index.start(piece.to());
      connection.execute("SAVEPOINT piece");
      try {
        copy(batch, target, from, to, piece.size());
        connection.execute("RELEASE SAVEPOINT piece");
        continue;
      } catch (SQLException e) {
        if (!connection.errors().faultOf(e).isOfRow()) {
          throw e;
        }
        connection.execute("ROLLBACK TO SAVEPOINT piece");
        connection.execute("RELEASE SAVEPOINT piece");
        RowRejection rejection = rows.rejectionOf(e);
        if (piece.size() == 1) {
          bad.add(
              new BadRow(
                  index.line(piece.from()),
                  rejection.reason(),
                  Arrays.copyOfRange(batch.bytes(), from, to)));
          files.requireRoom(batch.file(), bad);
          continue;
        }
        int record =
            rejection.line().isPresent()
                ? index.recordOf(piece.from(), rejection.line().getAsLong())
                : -1;
        piece.divide(record).forEach(waiting::push);
      }
    }
    return bad;
  }

  private void copy(RowBatch batch, ImportTarget target, int from, int to, long expected)
      throws SQLException {
    long taken = rows.send(connection, target, batch, from, to);
    if (taken != expected) {
      throw new SluiceException.Data(
          "%s, from line %d on: of %,d rows %s kept %,d: a trigger or rule is in the way, or a"
                  .formatted(
                      batch.file().name(),
                      batch.place().firstLine(),
                      expected,
                      target.table(),
                      taken)
              + " line \\. that ends the rows for this server",
          null);
    }
  }

  /** Cancels what the owner waits for; the owner gets an exception. Called from any thread. */
  public void abort() {
    connection.abort();
  }

  /** Closes the connection; uncommitted rows are rolled back. Idempotent. */
  @Override
  public void close() {
    connection.close();
  }

  /** The records from {@code from}, up to but without {@code to}. */
  private record Piece(int from, int to) {

    int size() {
      return to - from;
    }

    /** The parts, last one first, as they are pushed on a stack. */
    List<Piece> divide(int record) {
      int middle = from + size() / 2;
      boolean named = record >= from && record < to;
      List<Piece> parts =
          named
              ? List.of(
                  new Piece(record + 1, to), new Piece(record, record + 1), new Piece(from, record))
              : List.of(new Piece(middle, to), new Piece(from, middle));
      return parts.stream().filter(part -> part.size() > 0).toList();
    }
  }
}
