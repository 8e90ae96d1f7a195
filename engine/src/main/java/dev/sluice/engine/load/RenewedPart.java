package dev.sluice.engine.load;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.connector.api.source.load.RowsByKey;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.api.source.load.SegmentRows;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.api.source.load.TableChanged;
import dev.sluice.load.log.LoadedPart;
import dev.sluice.load.target.LoadDialect;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.RowStream;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Updates the kept segments of one table to another snapshot, in a transaction on the target. Owned
 * by the thread that loads.
 */
final class RenewedPart {
  private static final Logger LOG = LoggerFactory.getLogger(RenewedPart.class);

  /** Keys that one query looks up. */
  private static final int KEYS_AT_ONCE = 1_000;

  private final TargetConnection connection;
  private final LoadDialect dialect;
  private final int number;
  private final PlannedTable table;
  private final LoadedPart part;
  private final CopyLayout layout;
  private final TableMappings mappings;

  /** The key's columns on the source; empty before the first change. */
  private List<String> keyColumns = List.of();

  private StaleKeys touched;
  private Optional<String> obstacle = Optional.empty();

  /**
   * @param number unique in the transaction
   * @param table with the kept segments
   */
  RenewedPart(
      TargetConnection connection,
      int number,
      PlannedTable table,
      CopyLayout layout,
      TableMappings mappings) {
    this.connection = connection;
    this.dialect = LoadDialects.of(connection.dialect());
    this.number = number;
    this.table = table;
    this.part = table.part().orElseThrow();
    this.layout = layout;
    this.mappings = mappings;
  }

  LoadedPart part() {
    return part;
  }

  /** Why the segments cannot be updated; empty if they can. */
  Optional<String> obstacle() {
    return obstacle;
  }

  /** Records the keys of a changed row. */
  void touch(ChangeEvent.RowChange change, Position position) throws SQLException {
    if (obstacle.isPresent() || !position.isAfter(part.start())) {
      return;
    }
    RowSchema schema = change.schema();
    if (!isKeyOf(schema)) {
      return;
    }
    Row before = change.match();
    if (before != null) {
      touched.add(values(before));
    }
    if (change.row() != null) {
      Row after = schema.matchOf(change.row());
      Row known = before == null ? after : after.filledFrom(before);
      if (known.hasUnchanged()) {
        obstacle = Optional.of("a change at " + position + " does not contain the key of its row");
      } else if (!known.equals(before)) {
        touched.add(values(known));
      }
    }
  }

  /** Handles any other event; a truncation or DDL of the table is an obstacle. */
  void meet(ChangeEvent event, Position position) {
    if (obstacle.isPresent() || !position.isAfter(part.start())) {
      return;
    }
    TableId name = part.table();
    if (event instanceof ChangeEvent.Truncate truncate
        && truncate.tables().stream().anyMatch(emptied -> emptied.table().equals(name))) {
      obstacle = Optional.of("it was truncated at " + position);
    } else if (event instanceof ChangeEvent.Definition definition
        && definition.changes().changes().stream()
            .anyMatch(
                change ->
                    change.rowsBefore().filter(name::equals).isPresent()
                        || change.rowsAfter().filter(name::equals).isPresent())) {
      obstacle = Optional.of("it was altered at " + position);
    }
  }

  /** Deletes the changed rows and reads them again; ends early at a stop or an obstacle. */
  void readAgain(SnapshotReader reader, Position now, BooleanSupplier stopping)
      throws SQLException {
    long began = System.nanoTime();
    long keys = touched == null ? 0 : touched.count();
    if (keys > part.rows()) {
      obstacle =
          Optional.of(
              "%s of its rows were changed since it was read at %s, more than the %d that are kept"
                  .formatted(Counted.of(keys, "key"), part.start(), part.rows()));
      return;
    }
    long rows = 0;
    if (keys > 0) {
      touched.delete();
      for (List<List<String>> next = touched.next(KEYS_AT_ONCE);
          !next.isEmpty();
          next = touched.next(KEYS_AT_ONCE)) {
        for (Map.Entry<TableId, List<SegmentRange>> leaf : ranges().entrySet()) {
          if (stopping.getAsBoolean()) {
            return;
          }
          rows += copy(reader, leaf.getKey(), new RowsByKey(keyColumns, next, leaf.getValue()));
        }
      }
    }
    LOG.info(
        "table {}: {} of {} segments kept, updated from {} to {}: {} in changes, {} rows read"
            + " again in {} ms",
        part.table(),
        part.done(),
        part.segments().size(),
        part.start(),
        now,
        Counted.of(keys, "key"),
        rows,
        Duration.ofNanos(System.nanoTime() - began).toMillis());
  }

  /** The ranges of the kept segments, by the leaf that has the rows. */
  private Map<TableId, List<SegmentRange>> ranges() {
    return table.loaded().stream()
        .collect(
            Collectors.groupingBy(
                Segment::leaf,
                LinkedHashMap::new,
                Collectors.mapping(Segment::rows, Collectors.toList())));
  }

  private long copy(SnapshotReader reader, TableId leaf, RowsByKey keys) throws SQLException {
    Segment segment = new Segment(part.table(), 0, leaf, reader.rangeOf(keys));
    Optional<TableChanged> change =
        reader
            .hold(table.recorded(), segment)
            .or(() -> reader.difference(table.recorded(), segment));
    if (change.isPresent()) {
      throw new SluiceException.Overtaken(
          "the load starts again with a new snapshot: " + change.get(), null);
    }
    long copied;
    try (SegmentRows rows = reader.read(segment, layout);
        RowStream target = dialect.rows(connection, mappings.targetOf(part.table()), layout)) {
      RowChunk chunk = new RowChunk();
      while (rows.next(chunk, Integer.MAX_VALUE)) {
        target.add(chunk);
      }
      copied = target.end();
    }
    reader.release(segment);
    return copied;
  }

  private boolean isKeyOf(RowSchema schema) throws SQLException {
    List<String> columns =
        Arrays.stream(schema.key()).mapToObj(i -> schema.columns().get(i).name()).toList();
    if (columns.isEmpty()) {
      obstacle = Optional.of("its changes have no key");
    } else if (touched == null) {
      keyColumns = columns;
      touched =
          dialect.staleKeys(
              connection,
              number,
              mappings.targetOf(part.table()),
              columns.stream().map(this::nameOnTarget).toList());
    } else if (!columns.equals(keyColumns)) {
      obstacle = Optional.of("its key was " + keyColumns + " and is " + columns);
    }
    return obstacle.isEmpty();
  }

  private String nameOnTarget(String column) {
    return mappings
        .columns()
        .of(part.table(), column)
        .orElseThrow(
            () ->
                new SluiceException.Fatal(
                    "BUG: the key column %s of %s is not on the target"
                        .formatted(column, part.table()),
                    null));
  }

  private static String[] values(Row key) {
    String[] values = new String[key.columns()];
    ValueCursor cursor = key.cursor();
    for (int i = 0; cursor.next(); i++) {
      values[i] = cursor.text();
    }
    return values;
  }
}
