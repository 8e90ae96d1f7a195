package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.mariadb.capture.stream.Compressed;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.capture.stream.LogBytes;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.filter.LoggedRows;
import dev.sluice.connector.mariadb.server.EqualAgain;
import dev.sluice.connector.mariadb.type.LoggedColumn;
import dev.sluice.connector.mariadb.type.ValueDecoder;
import dev.sluice.connector.mariadb.type.ValueDecoders;
import dev.sluice.connector.mariadb.type.ValueText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/*
 * The body of an event with rows: table number 6 | flags 2 | n packed | n bits: column is there | for
 * an update the same bits of the new row | rows. A row: one bit for each column: is NULL | values. An
 * update has pairs of an old and a new row.
 */
/**
 * A captured table as the log describes it, with the decoder of its rows. Owned by the thread that
 * decodes the log.
 */
public final class CapturedTable {
  /** A column that the server adds for a unique key over long values. */
  static final String HASH_COLUMN = "DB_ROW_HASH_";

  private final RowSchema schema;
  private final boolean oldRowsWanted;

  /** The decoder of each column of the log's rows. */
  private final List<ValueDecoder> decoders;

  /** Whether a column of the log's rows is one of the journal's rows. */
  private final boolean[] wanted;

  /** Whether a column of the log's rows identifies a row; all do if the table has no key. */
  private final boolean[] identifies;

  private final Optional<LoggedRows> filter;

  /** Whether a column of the log's rows is one by which they are filtered. */
  private final boolean[] filtering;

  private final RowBuilder builder = new RowBuilder(256);
  private final ValueText text = new ValueText(builder);

  private CapturedTable(
      RowSchema schema,
      boolean oldRowsWanted,
      List<ValueDecoder> decoders,
      boolean[] wanted,
      boolean[] identifies,
      Optional<LoggedRows> filter) {
    this.schema = schema;
    this.oldRowsWanted = oldRowsWanted;
    this.decoders = decoders;
    this.wanted = wanted;
    this.identifies = identifies;
    this.filter = filter;
    this.filtering = filter.map(rows -> rows.columns(wanted.length)).orElse(wanted);
  }

  /**
   * Combines the descriptions of a table in the log and in the catalog.
   *
   * @param filter the rows that are captured; empty: all
   * @throws SluiceException.Fatal if they contradict each other because the table was altered
   */
  static CapturedTable of(
      TableMap logged,
      CatalogTable catalog,
      ValueDecoders values,
      boolean oldRowsWanted,
      Optional<LoggedRows> filter) {
    Map<String, CatalogColumn> known = new HashMap<>();
    catalog.columns().forEach(column -> known.put(column.name(), column));
    List<ValueDecoder> decoders = new ArrayList<>();
    int count = logged.columns().size();
    boolean[] wanted = new boolean[count];
    boolean[] identifies = new boolean[count];
    boolean hasKey = catalog.hasKey();
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      LoggedColumn column = logged.columns().get(i);
      CatalogColumn declared = known.get(column.name());
      if (declared == null && !column.name().startsWith(HASH_COLUMN)) {
        throw altered(logged, catalog);
      }
      decoders.add(
          declared == null
              ? values.skipping(column)
              : values.ofColumns(declared.key()).of(column, declared.type()));
      wanted[i] = declared != null && !declared.generated();
      identifies[i] = wanted[i] && (declared.key() || !hasKey);
      if (wanted[i]) {
        columns.add(
            new Column(
                column.name(),
                declared.type(),
                declared.nullable() || values.policy().makesNulls(declared.type(), declared.key()),
                declared.key(),
                declared.origin()));
      }
    }
    if (columns.size() != catalog.journaledColumns().size()) {
      throw altered(logged, catalog);
    }
    // In the order of the log, since a statement may have moved columns.
    RowSchema schema = new RowSchema(catalog.table(), columns);
    return new CapturedTable(
        schema, oldRowsWanted && schema.hasKey(), decoders, wanted, identifies, filter);
  }

  /**
   * Decodes the changes of one event.
   *
   * @param body from after the number of the table and the flags
   */
  public void decode(LogEvent event, LogBytes body, Consumer<RowChange> changes) {
    int count = body.packed();
    if (count != decoders.size()) {
      throw new SluiceException.Fatal(
          "table %s: the binary log has a row of %d columns; expected %d, as it described the table"
              .formatted(schema.table(), count, decoders.size()),
          null);
    }
    boolean update = EventType.isUpdate(event.type());
    requireAllColumns(body);
    if (update) {
      requireAllColumns(body);
    }
    LogBytes rows = EventType.isCompressed(event.type()) ? Compressed.inflate(body) : body;
    while (rows.hasMore()) {
      if (update && filter.isPresent()) {
        filteredUpdate(rows, changes);
      } else if (update) {
        changes.accept(update(rows));
      } else if (filter.isEmpty() || passes(rows)) {
        changes.accept(EventType.isInsert(event.type()) ? insert(rows) : delete(rows));
      }
    }
    if (rows.at() != rows.end()) {
      throw new SluiceException.Fatal(
          "table %s: the binary log has rows that end after their event".formatted(schema.table()),
          null);
    }
  }

  private RowChange insert(LogBytes rows) {
    return new RowChange(schema, null, row(rows, wanted));
  }

  private RowChange delete(LogBytes rows) {
    return new RowChange(schema, row(rows, identifies), null);
  }

  private RowChange update(LogBytes rows) {
    int old = rows.at();
    Row match = row(rows, identifies);
    int end = rows.at();
    Row before = null;
    if (oldRowsWanted) {
      rows.goTo(old);
      before = row(rows, wanted);
      rows.goTo(end);
    }
    Row row = row(rows, wanted);
    return new RowChange(schema, match, row, before == null ? null : before.asBefore(row));
  }

  /**
   * An update after which a row passes the filter for the first time is an insert, and one after
   * which it no longer passes is a delete.
   */
  private void filteredUpdate(LogBytes rows, Consumer<RowChange> changes) {
    int old = rows.at();
    boolean passed = takes(rows);
    int now = rows.at();
    boolean passes = takes(rows);
    int end = rows.at();
    if (passed) {
      rows.goTo(old);
      changes.accept(passes ? update(rows) : delete(rows));
    } else if (passes) {
      rows.goTo(now);
      changes.accept(insert(rows));
    }
    rows.goTo(end);
  }

  /** Whether the next row passes the filter. Reads the row only if it does not pass. */
  private boolean passes(LogBytes rows) {
    int row = rows.at();
    boolean passes = takes(rows);
    if (passes) {
      rows.goTo(row);
    }
    return passes;
  }

  /** Whether the next row passes the filter. Reads the row only if it passes. */
  private boolean takes(LogBytes rows) {
    return filter.orElseThrow().passes(row(rows, filtering));
  }

  private Row row(LogBytes rows, boolean[] columns) {
    byte[] bytes = rows.array();
    int nulls = rows.at();
    int at = nulls + (decoders.size() + 7) / 8;
    for (int i = 0; i < columns.length; i++) {
      boolean isNull = (bytes[nulls + i / 8] >> i % 8 & 1) != 0;
      if (isNull) {
        if (columns[i]) {
          builder.addNull();
        }
      } else if (columns[i]) {
        at = decoders.get(i).decode(bytes, at, text);
      } else {
        at = decoders.get(i).skip(bytes, at);
      }
    }
    rows.goTo(at);
    return builder.build();
  }

  private void requireAllColumns(LogBytes body) {
    byte[] bits = body.take((decoders.size() + 7) / 8);
    for (int i = 0; i < decoders.size(); i++) {
      if ((bits[i / 8] >> i % 8 & 1) == 0) {
        throw new SluiceException.Fatal(
            new Problem(
                "table " + schema.table(),
                "a change in the binary log without all columns of the row (binlog_row_image of a"
                    + " session was not FULL)",
                "binlog_row_image=FULL in every session",
                EqualAgain.byResyncAfter("Set it")));
      }
    }
  }

  private static SluiceException altered(TableMap logged, CatalogTable catalog) {
    return new SluiceException.Fatal(
        new Problem(
            "table " + catalog.table(),
            "rows in the binary log with the columns "
                + logged.columns().stream().map(LoggedColumn::name).toList(),
            "the columns "
                + catalog.columns().stream().map(CatalogColumn::name).toList()
                + ", as the source's catalog had them when the capture started",
            "If the table was altered, load the tables again: sluice stop --drop, and then"
                + " sluice run. If it is system-versioned, which adds row_start and row_end,"
                + " exclude"
                + " it"));
  }
}
