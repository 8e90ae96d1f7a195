package dev.sluice.connector.comparison.printed;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.KeyBuckets;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Scans tables of a server that cannot print a value as PostgreSQL does, and finds rows in them by
 * their keys. Owned by one thread at a time.
 */
final class PrintedScans {
  /** A limit that is higher than the number of rows of any table. */
  static final long ALL = Long.MAX_VALUE / 2;

  /** Keys that one statement looks up. */
  private static final int KEYS_AT_ONCE = 500;

  private final String side;
  private final TableReads reads;
  private final ScanSql sql;
  private final Map<TableId, PrintedTable> known = new HashMap<>();

  PrintedScans(String side, TableReads reads, ScanSql sql) {
    this.side = side;
    this.reads = reads;
    this.sql = sql;
  }

  /** Sets the definition of a table from the catalog; only such tables can be read. */
  void know(TableId table, PrintedTable read) {
    known.put(table, read);
  }

  /**
   * The keys of rows.
   *
   * @param end of the statement: an order and a limit
   */
  List<RowKey> keysOf(ComparedRows rows, List<String> conditions, String end) {
    ComparedRows onlyKeys =
        new ComparedRows(
            rows.table(),
            rows.withLeaves(),
            rows.key(),
            rows.keyOrder(),
            rows.key(),
            rows.condition(),
            List.of());
    List<RowKey> found = new ArrayList<>();
    scan(onlyKeys, conditions, end, scan -> found.add(scan.key()));
    return found;
  }

  /** Receives the rows that were looked up, with the numbers of their keys. */
  interface Found {
    void row(int number, RowScan scan);
  }

  /** Finds the rows of some keys. */
  void lookUp(ComparedRows rows, List<RowKey> keys, Lookup how, Found found) {
    if (how == Lookup.BY_SCAN) {
      lookUp(rows, keys, 0, List.of(), found);
      return;
    }
    for (int from = 0; from < keys.size(); from += KEYS_AT_ONCE) {
      List<RowKey> some = keys.subList(from, Math.min(keys.size(), from + KEYS_AT_ONCE));
      lookUp(rows, some, from, List.of(keys(rows).isOneOf(some)), found);
    }
  }

  /**
   * Matches rows by the text of their keys, since the server's comparison may find several equal.
   */
  private void lookUp(
      ComparedRows rows, List<RowKey> keys, int from, List<String> conditions, Found found) {
    RowScan printing = new RowScan(side, rows, table(rows));
    Map<RowKey, List<Integer>> numbers = new HashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      numbers
          .computeIfAbsent(printing.printed(keys.get(i)), any -> new ArrayList<>())
          .add(from + i);
    }
    scan(
        rows,
        conditions,
        "",
        scan ->
            numbers.getOrDefault(scan.key(), List.of()).forEach(number -> found.row(number, scan)));
  }

  /** Receives the rows that are scanned, one after the other. */
  interface Row {
    void read(RowScan scan);
  }

  /**
   * Scans the rows of a chunk, without skipped ones.
   *
   * @param most rows that are received
   */
  void scan(ComparedRows rows, ChunkBounds bounds, long most, Row row) {
    RowDigest ofKey = RowDigest.withoutSeeds();
    KeyBuckets buckets = bounds instanceof KeyBuckets some ? some : KeyBuckets.all(1);
    long[] read = {0};
    scan(
        rows,
        bounds instanceof KeyRange range ? keys(rows).of(range) : List.of(),
        bounds instanceof KeyRange && most < ALL ? sql.first(most + rows.leftOut().size()) : "",
        scan -> {
          int bucket = buckets.of() == 1 ? 0 : bucket(ofKey, scan, buckets.of());
          if (bucket >= buckets.first() && bucket <= buckets.last() && read[0]++ < most) {
            row.read(scan);
          }
        });
  }

  /** Scans rows by conditions in SQL, without skipped ones. */
  void scan(ComparedRows rows, List<String> conditions, String end, Row row) {
    scanAll(
        rows,
        conditions,
        end,
        scan -> {
          if (!scan.isLeftOut()) {
            row.read(scan);
          }
        });
  }

  /** Scans rows by conditions in SQL, including skipped ones. */
  void scanAll(ComparedRows rows, List<String> conditions, String end, Row row) {
    RowScan scan = new RowScan(side, rows, table(rows));
    reads.read(
        rows.table(),
        connection -> {
          scan.read(connection, sql, conditions, end, () -> row.read(scan));
          return scan;
        });
  }

  KeyConditions keys(ComparedRows rows) {
    return new KeyConditions(side, rows, table(rows));
  }

  private PrintedTable table(ComparedRows rows) {
    PrintedTable found = known.get(rows.table());
    if (found == null) {
      throw new IllegalStateException(
          "BUG: table " + rows.table() + " was not read from the catalog");
    }
    return found;
  }

  static int bucket(RowDigest digest, RowScan scan, int of) {
    return digest.read(scan.keyText()).part(of);
  }
}
