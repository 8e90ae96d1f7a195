package dev.sluice.connector.mariadb.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.RowsByKey;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.api.source.load.SegmentRows;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.api.source.load.TableChanged;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.filter.FilterSql;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads segments under a shared snapshot. From {@link #hold} to {@link #release} it has one of the
 * snapshot's sessions. Owned by the reading thread; only {@link #abort} may be called from another
 * one.
 */
public final class MariadbSnapshotReader implements SnapshotReader {
  private static final Logger LOG = LoggerFactory.getLogger(MariadbSnapshotReader.class);

  private static final int LOCK_TIMED_OUT = 1205;

  private final MariadbServer server;
  private final ValuePolicy values;
  private final SharedSnapshot snapshot;
  private final KeptSession present;
  private volatile KeptSession held;
  private volatile boolean aborted;

  private MariadbSnapshotReader(
      MariadbServer server, ValuePolicy values, SharedSnapshot snapshot, KeptSession present) {
    this.server = server;
    this.values = values;
    this.snapshot = snapshot;
    this.present = present;
    snapshot.keep(present);
  }

  /**
   * Opens a reader, with a separate session that sees the current catalog.
   *
   * @param values for values that PostgreSQL does not have
   * @throws SluiceException.Retryable if the server is unreachable or the snapshot is closed
   */
  public static MariadbSnapshotReader open(
      MariadbServer server, ValuePolicy values, SnapshotOpening snapshots, String name) {
    SharedSnapshot snapshot =
        snapshots
            .named(name)
            .orElseThrow(
                () ->
                    new SluiceException.Retryable(
                        "snapshot " + name + " is not open any more", null));
    return new MariadbSnapshotReader(server, values, snapshot, new KeptSession(server.connect()));
  }

  /** Reads one row, which locks the table's definition until the savepoint is rolled back. */
  @Override
  public Optional<TableChanged> hold(RecordedTable recorded, Segment segment) {
    KeptSession session = snapshot.take(() -> aborted);
    held = session;
    try (Statement statement = session.use().createStatement()) {
      statement.execute("SAVEPOINT segment");
      while (!isLocked(statement, segment)) {
        LOG.warn("table {} is locked by a session that alters it: the load waits", segment.leaf());
      }
      return Optional.empty();
    } catch (SQLException e) {
      return Optional.of(changed(segment, e));
    } finally {
      session.rest();
    }
  }

  private static boolean isLocked(Statement statement, Segment segment) throws SQLException {
    try {
      statement.executeQuery("SELECT 1 FROM " + segment.leaf().quoted() + " LIMIT 1").close();
      return true;
    } catch (SQLException e) {
      if (e.getErrorCode() != LOCK_TIMED_OUT) {
        throw e;
      }
      return false;
    }
  }

  private static TableChanged changed(Segment segment, SQLException error) {
    return switch (error.getErrorCode()) {
      case MariadbFailures.NO_SUCH_TABLE -> new TableChanged(segment.table(), "it is gone");
      case MariadbFailures.DEFINITION_CHANGED ->
          new TableChanged(
              segment.table(), "it was truncated, rebuilt or altered after the snapshot");
      default -> throw MariadbFailures.classify("lock " + segment, error);
    };
  }

  @Override
  public Optional<TableChanged> difference(RecordedTable recorded, Segment segment) {
    return difference(recorded);
  }

  @Override
  public Optional<TableChanged> difference(RecordedTable recorded) {
    try {
      return new MariadbRecorder(present.use(), server.database())
          .find(recorded.table())
          .map(now -> differenceBetween(recorded, now))
          .orElse(Optional.of("it is gone"))
          .map(difference -> new TableChanged(recorded.table(), difference));
    } finally {
      present.rest();
    }
  }

  private static Optional<String> differenceBetween(RecordedTable recorded, RecordedTable now) {
    if (recorded.id() != now.id()) {
      return Optional.of(
          "another table has its name, or it was truncated or rebuilt: its number was %d, now %d"
              .formatted(recorded.id(), now.id()));
    }
    List<String> before = recorded.leaves().get(0).attributes();
    List<String> after = now.leaves().get(0).attributes();
    return before.equals(after)
        ? Optional.empty()
        : Optional.of("its columns were %s, now %s".formatted(before, after));
  }

  @Override
  public SegmentRange rangeOf(RowsByKey rows) {
    return new KeyedRows(rows);
  }

  private Optional<MariadbTable> table(TableId name) {
    try {
      return DatabaseTables.read(present.use(), server.database()).table(name);
    } catch (SQLException e) {
      throw MariadbFailures.classify("read the columns of " + name, e);
    } finally {
      present.rest();
    }
  }

  @Override
  public SegmentRows read(Segment segment, CopyLayout layout) {
    if (layout.format() != CopyFormat.TEXT) {
      throw new IllegalStateException("BUG: " + layout.format() + " is no format of MariaDB");
    }
    MariadbTable table =
        table(segment.leaf())
            .orElseThrow(
                () -> new SluiceException.Overtaken(segment + " was dropped meanwhile", null));
    List<LoadedColumn> columns = new ArrayList<>();
    for (String name : layout.columns()) {
      LoadedColumn column =
          LoadedColumn.of(
              table,
              table
                  .column(name)
                  .orElseThrow(
                      () ->
                          new SluiceException.Overtaken(
                              "column %s of %s was dropped meanwhile"
                                  .formatted(name, segment.leaf()),
                              null)),
              values);
      columns.add(
          layout.cut().types().containsKey(name) ? column.cut(layout.cut().limit()) : column);
    }
    String sql =
        "SELECT "
            + (columns.isEmpty()
                ? "NULL"
                : columns.stream().map(LoadedColumn::expression).collect(Collectors.joining(", ")))
            + rowsOf(table, segment, layout);
    KeptSession session = held;
    try {
      return MariadbRows.begin(segment.toString(), session.use(), columns, sql, session::rest);
    } catch (SQLException e) {
      session.rest();
      throw MariadbFailures.classify("read " + segment, e);
    }
  }

  private static Optional<String> conditionOf(MariadbTable table, SegmentRange rows) {
    return rows instanceof KeyedRows keyed
        ? Optional.of(keyed.condition(table))
        : MariadbRange.conditionOf(rows);
  }

  private static String rowsOf(MariadbTable table, Segment segment, CopyLayout layout) {
    String conditions =
        Stream.concat(
                layout.filter().map(filter -> FilterSql.of(filter, table)).stream(),
                conditionOf(table, segment.rows()).stream())
            .map(condition -> "(" + condition + ")")
            .collect(Collectors.joining(" AND "));
    return " FROM "
        + segment.leaf().quoted()
        + (conditions.isEmpty() ? "" : " WHERE " + conditions);
  }

  @Override
  public long countCut(Segment segment, CopyLayout layout) {
    List<String> cut = layout.columns().stream().filter(layout.cut().types()::containsKey).toList();
    if (cut.isEmpty()) {
      return 0;
    }
    String longer =
        cut.stream()
            .map(
                name ->
                    "coalesce(char_length(%s) > %d, 0)"
                        .formatted(TableId.quote(name), layout.cut().limit()))
            .collect(Collectors.joining(" + "));
    MariadbTable table = table(segment.leaf()).orElseThrow();
    KeptSession session = held;
    try {
      return Long.parseLong(
          new MariadbQuery(session.use())
              .row("SELECT coalesce(sum(" + longer + "), 0)" + rowsOf(table, segment, layout))
              .orElseThrow()[0]);
    } catch (SQLException e) {
      throw MariadbFailures.classify("count the cut values of " + segment, e);
    } finally {
      session.rest();
    }
  }

  @Override
  public void release(Segment segment) {
    KeptSession session = held;
    held = null;
    if (session == null) {
      return;
    }
    try (Statement statement = session.use().createStatement()) {
      statement.execute("ROLLBACK TO SAVEPOINT segment");
    } catch (SQLException e) {
      session.close();
      throw MariadbFailures.classify("unlock " + segment, e);
    } finally {
      session.rest();
      snapshot.giveBack(session);
    }
  }

  @Override
  public void abort() {
    aborted = true;
    KeptSession session = held;
    if (session != null) {
      session.abort();
    }
    present.abort();
  }

  @Override
  public void close() {
    KeptSession session = held;
    held = null;
    if (session != null) {
      // The query may be in the middle of a table.
      session.close();
      snapshot.giveBack(session);
    }
    snapshot.forget(present);
    present.close();
  }
}
