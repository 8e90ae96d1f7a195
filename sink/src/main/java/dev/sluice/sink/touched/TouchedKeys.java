package dev.sluice.sink.touched;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.sink.lane.ChangeObserver;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Keeps the keys of applied transactions, for two questions. Which rows may the target have that a
 * snapshot of the source does not show? And which rows were touched since they were compared?
 * Tables are named as on the source.
 *
 * <p>Made with each replication, and fed by the threads that fill windows, before anything is
 * applied. Memory is bounded: what does not fit makes a table's answers {@link NotShown.Unknown} or
 * dirty, never wrong. Threadsafe.
 */
public final class TouchedKeys implements ChangeObserver.Factory {
  private final long begunWith;
  private final int mostOfTable;
  private final int mostOfAll;
  private final Map<TableId, TableTouches> tables = new HashMap<>();
  private int all;

  /**
   * @param begunWith an id that no transaction on the source had, read there after the checkpoint
   *     was claimed: earlier transactions may have been applied without being recorded
   * @param mostOfTable keys kept of one table for either question
   * @param mostOfAll keys kept of all tables
   */
  public TouchedKeys(long begunWith, int mostOfTable, int mostOfAll) {
    this.begunWith = begunWith;
    this.mostOfTable = mostOfTable;
    this.mostOfAll = mostOfAll;
  }

  /** Records one transaction, or the part of it that a lane takes. */
  @Override
  public ChangeObserver of(TransactionEnd end) {
    return new Recording(end);
  }

  /** Whether a snapshot can be compared: all that is not recorded had ended before it. */
  public boolean covers(VisibleTransactions snapshot) {
    return snapshot.oldest() >= begunWith;
  }

  /**
   * The rows of a table that the target may have otherwise than the snapshot shows them.
   *
   * @param upTo the position up to which the target has the table's changes
   */
  public synchronized NotShown notShown(
      TableId table, VisibleTransactions snapshot, Position upTo) {
    if (!covers(snapshot)) {
      return new NotShown.Unknown(
          "transactions that began before the task did are still running on the source");
    }
    TableTouches touches = tables.get(table);
    return touches == null ? new NotShown.Rows(TouchedRows.NONE) : touches.notShown(snapshot, upTo);
  }

  /** Forgets what a snapshot shows, as far as the first question goes. */
  public synchronized void shownBy(VisibleTransactions snapshot) {
    tables.values().forEach(touches -> touches.shownBy(snapshot));
    count();
  }

  /** The last TRUNCATE or DDL of a table after a position, in words; empty if there was none. */
  public synchronized Optional<String> voidedAfter(TableId table, Position position) {
    return Optional.ofNullable(tables.get(table)).flatMap(touches -> touches.voidedAfter(position));
  }

  /**
   * The rows of a table that were touched since they were compared.
   *
   * @param most how many keys to return at most
   * @param upTo only those whose last change is not after this position
   */
  public synchronized Uncompared uncompared(TableId table, int most, Position upTo) {
    TableTouches touches = tables.get(table);
    return touches == null
        ? new Uncompared(TouchedRows.NONE, 0, Optional.empty())
        : touches.uncompared(most, upTo);
  }

  /** Records that rows were compared as of a position; later changes of them still count. */
  public synchronized void compared(TableId table, List<Row> keys, Position upTo) {
    TableTouches touches = tables.get(table);
    if (touches != null) {
      touches.compared(keys, upTo);
      count();
    }
  }

  /**
   * Records that every row of a table was compared.
   *
   * @param began the position at which the first of them was
   */
  public synchronized void readAll(TableId table, Position began) {
    TableTouches touches = tables.get(table);
    if (touches != null) {
      touches.readAll(began);
    }
  }

  private synchronized void add(TransactionEnd end, Map<TableId, OfTransaction> changed) {
    changed.forEach(
        (table, touched) -> {
          TableTouches touches =
              tables.computeIfAbsent(table, any -> new TableTouches(mostOfTable));
          if (touched.voided != null) {
            touches.voided(end, touched.voided);
          } else if (touched.unknown) {
            touches.addUnknown(end);
          } else {
            touches.add(end, touched.columns, touched.keys);
          }
        });
    count();
    while (all > mostOfAll) {
      tables.values().stream()
          .max(Comparator.comparingInt(TableTouches::size))
          .orElseThrow()
          .forget(end.position());
      count();
    }
  }

  private void count() {
    all = tables.values().stream().mapToInt(TableTouches::size).sum();
  }

  /** What a transaction did to one table. */
  private static final class OfTransaction {
    private final Set<Row> keys = new HashSet<>();
    private List<String> columns = List.of();
    private boolean unknown;
    private String voided;
  }

  /** Collects the keys of one transaction. Owned by the thread that decodes it. */
  private final class Recording implements ChangeObserver {
    private final TransactionEnd end;
    private final Map<TableId, OfTransaction> changed = new LinkedHashMap<>();
    private RowSchema schema;
    private OfTransaction table;

    Recording(TransactionEnd end) {
      this.end = end;
    }

    @Override
    public void observe(ChangeEvent event) {
      if (event instanceof RowChange change) {
        add(change);
      } else if (event instanceof Truncate truncate) {
        truncate.tables().forEach(emptied -> of(emptied.table()).voided = "it was truncated");
      } else if (event instanceof Definition definition) {
        definition.changes().changes().stream()
            .flatMap(TouchedKeys::tables)
            .forEach(altered -> of(altered).voided = "it was altered");
      }
    }

    @Override
    public void complete() {
      if (!changed.isEmpty()) {
        TouchedKeys.this.add(end, changed);
      }
    }

    private void add(RowChange change) {
      if (change.schema() != schema) {
        begin(change.schema());
      }
      if (table.unknown) {
        return;
      }
      if (change.match() != null) {
        table.keys.add(change.match());
      }
      if (change.row() != null
          && (change.match() == null || !schema.isMatchOf(change.match(), change.row()))) {
        table.keys.add(schema.matchOf(change.row()));
      }
      if (table.keys.size() > mostOfTable) {
        table.unknown = true;
        table.keys.clear();
      }
    }

    private void begin(RowSchema next) {
      schema = next;
      table = of(next.table());
      List<String> columns =
          IntStream.of(next.key()).mapToObj(at -> next.columns().get(at).name()).toList();
      if (columns.isEmpty() || !table.keys.isEmpty() && !columns.equals(table.columns)) {
        table.unknown = true;
        table.keys.clear();
      }
      table.columns = columns;
    }

    private OfTransaction of(TableId name) {
      return changed.computeIfAbsent(name, any -> new OfTransaction());
    }
  }

  private static Stream<TableId> tables(DefinitionChange change) {
    return Stream.concat(change.rowsBefore().stream(), change.rowsAfter().stream());
  }
}
