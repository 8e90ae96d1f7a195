package dev.sluice.connector.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.FoundHash;
import dev.sluice.connector.api.comparison.FoundRow;
import dev.sluice.connector.api.comparison.HashSeeds;
import dev.sluice.connector.api.comparison.HashedRow;
import dev.sluice.connector.api.comparison.KeyBuckets;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideForm;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.api.comparison.SideView;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The reads of a view: what the side's tables have under its snapshot. Each is a {@link
 * SnapshotRead}. Owned by one thread at a time.
 */
abstract class PostgresView implements SideView {
  private final SideServer server;
  private final SnapshotReads reads;
  private final Map<TableId, KnownTable> known = new HashMap<>();
  private Optional<CatalogReading.Database> database = Optional.empty();

  PostgresView(SideServer server, SnapshotReads reads) {
    this.server = server;
    this.reads = reads;
  }

  /** Forgets what was read under an earlier snapshot. */
  final void forget() {
    known.clear();
  }

  @Override
  public final SideForm form(HashSeeds seeds) {
    return reads.ofCatalog(
        "the settings",
        session -> {
          CatalogReading.Database found = new CatalogReading(server, session).database();
          database = Optional.of(found);
          String printed =
              session.query(Canary.PRINTED, List.of(), CatalogReading::text).orElse("");
          String hashed =
              session.query(Canary.hashed(seeds), List.of(), CatalogReading::text).orElse("");
          boolean keeps =
              found.singleByte()
                  || found.encoding().equals("UTF8")
                  || found.encoding().equals("SQL_ASCII");
          return new SideForm(found.encoding(), keeps, printed, hashed);
        });
  }

  @Override
  public final Optional<SideTable> table(TableId table) {
    Optional<KnownTable> found =
        reads.ofCatalog(
            "table " + table, session -> new CatalogReading(server, session).read(table));
    found.ifPresent(read -> known.put(table, read));
    return found.map(KnownTable::table);
  }

  @Override
  public final Optional<RowKey> endOfChunk(ComparedRows rows, KeyRange range, int size) {
    RowSql sql = sql(rows.leavingOut(List.of()));
    String key = sql.keyArray();
    List<String> conditions = sql.conditions();
    conditions.addAll(sql.range(range));
    String query =
        "SELECT %s FROM %s%s ORDER BY %s OFFSET %d LIMIT 1"
            .formatted(key, sql.from(), RowSql.where(conditions), sql.order(), size - 1);
    return reads.ofBorder(
        rows.table(),
        known(rows.table()),
        Plan.INDEX,
        session ->
            session.query(
                query,
                sql.parameters(),
                found -> found.next() ? Optional.of(key(found, 1)) : Optional.empty()));
  }

  @Override
  public final ChunkSums sums(ComparedRows rows, ChunkBounds bounds, RowHash hash, long most) {
    HashSql hashing = hashing(hash);
    RowSql sql = sql(rows, hashing);
    String query =
        "SELECT count(*), sum(h1), sum(h2) FROM (%s) s"
            .formatted(hashing.over("", rowsIn(sql, bounds, "") + " LIMIT " + (most + 1)));
    return read(
        rows,
        plan(bounds),
        session ->
            session.query(
                query,
                sql.parameters(),
                found -> {
                  found.next();
                  return sums(found, 1);
                }));
  }

  @Override
  public final List<ChunkSums> sums(ComparedRows rows, KeyBuckets buckets, RowHash hash) {
    HashSql hashing = hashing(hash);
    RowSql sql = sql(rows, hashing);
    String inner = rowsIn(sql, buckets, sql.bucket(buckets.of()) + " AS b, ");
    String query =
        "SELECT b, count(*), sum(h1), sum(h2) FROM (%s) s GROUP BY b"
            .formatted(hashing.over("b, ", inner));
    return read(
        rows,
        Plan.SCAN,
        session ->
            session.query(
                query,
                sql.parameters(),
                found -> {
                  List<ChunkSums> sums =
                      new ArrayList<>(Collections.nCopies(buckets.size(), ChunkSums.NONE));
                  while (found.next()) {
                    sums.set(found.getInt(1) - buckets.first(), sums(found, 2));
                  }
                  return sums;
                }));
  }

  @Override
  public final List<HashedRow> hashes(
      ComparedRows rows, ChunkBounds bounds, RowHash hash, int most) {
    HashSql hashing = hashing(hash);
    RowSql sql = sql(rows, hashing);
    String query =
        hashing.over("k, ", rowsIn(sql, bounds, sql.keyArray() + " AS k, "))
            + " LIMIT "
            + (most + 1L);
    List<HashedRow> found =
        read(
            rows,
            plan(bounds),
            session ->
                session.query(
                    query,
                    sql.parameters(),
                    result -> {
                      List<HashedRow> hashed = new ArrayList<>();
                      while (result.next()) {
                        hashed.add(hashed(result, 1));
                      }
                      return hashed;
                    }));
    if (found.size() > most) {
      throw new NotReadable(
          Reason.OUT_OF_TIME,
          "table %s of the %s has more than %,d rows in one chunk"
              .formatted(rows.table(), server, most),
          null);
    }
    return found;
  }

  @Override
  public final List<FoundHash> find(
      ComparedRows rows, List<RowKey> keys, RowHash hash, Lookup how) {
    HashSql hashing = hashing(hash);
    RowSql sql = sql(rows, hashing);
    String inner =
        "SELECT %s AS k, \"!n\" AS n, %s AS t".formatted(sql.keyArray(), sql.rowText())
            + joined(sql, keys);
    String query = hashing.over("k, n, ", inner);
    return read(
        rows,
        plan(rows, how),
        session ->
            session.query(
                query,
                sql.parameters(),
                found -> {
                  List<FoundHash> hashes = new ArrayList<>();
                  while (found.next()) {
                    HashedRow row =
                        new HashedRow(key(found, 1), found.getLong(3), found.getLong(4));
                    hashes.add(new FoundHash(found.getInt(2) - 1, row));
                  }
                  return hashes;
                }));
  }

  @Override
  public final List<FoundRow> read(ComparedRows rows, List<RowKey> keys, Lookup how) {
    RowSql sql = sql(rows);
    String query =
        "SELECT \"!n\", %s, %s".formatted(sql.keyArray(), sql.valueArray()) + joined(sql, keys);
    return read(
        rows,
        plan(rows, how),
        session -> session.query(query, sql.parameters(), PostgresView::foundRows));
  }

  @Override
  public final List<FoundRow> read(
      ComparedRows rows, RowHash hash, List<HashedRow> wanted, int most) {
    HashSql hashing = hashing(hash);
    RowSql sql = sql(rows, hashing);
    String inner =
        "SELECT %s AS k, %s AS v, %s AS t FROM %s%s"
            .formatted(
                sql.keyArray(),
                sql.valueArray(),
                sql.rowText(),
                sql.from(),
                RowSql.where(sql.conditions()));
    String query =
        "SELECT w.n, s.k, s.v FROM (%s) s JOIN unnest(CAST(? AS int8[]), CAST(? AS int8[]))"
                .formatted(hashing.over("k, v, ", inner))
            + " WITH ORDINALITY w (h1, h2, n) ON w.h1 = s.h1 AND w.h2 = s.h2 LIMIT "
            + most;
    sql.with(wanted.stream().map(HashedRow::first).toArray(Long[]::new));
    sql.with(wanted.stream().map(HashedRow::second).toArray(Long[]::new));
    return read(
        rows,
        Plan.SCAN,
        session -> session.query(query, sql.parameters(), PostgresView::foundRows));
  }

  private static List<FoundRow> foundRows(ResultSet found) throws SQLException {
    List<FoundRow> rows = new ArrayList<>();
    while (found.next()) {
      rows.add(
          new FoundRow(
              found.getInt(1) - 1,
              key(found, 2),
              Arrays.asList((String[]) found.getArray(3).getArray())));
    }
    return rows;
  }

  /** The query for the texts of a chunk's rows. */
  private String rowsIn(RowSql sql, ChunkBounds bounds, String columns) {
    String text = sql.rowText();
    List<String> conditions = sql.conditions();
    if (bounds instanceof KeyRange range) {
      conditions.addAll(sql.range(range));
    } else if (bounds instanceof KeyBuckets buckets) {
      conditions.addAll(sql.buckets(buckets));
    }
    return "SELECT %s%s AS t FROM %s%s"
        .formatted(columns, text, sql.from(), RowSql.where(conditions));
  }

  private static String joined(RowSql sql, List<RowKey> keys) {
    String wanted = sql.keys(keys, "\"!w\"", true);
    List<String> conditions = sql.conditions();
    conditions.add(sql.matches("\"!w\""));
    return " FROM " + wanted + " CROSS JOIN " + sql.from() + RowSql.where(conditions);
  }

  private RowSql sql(ComparedRows rows) {
    return sql(rows, null);
  }

  private RowSql sql(ComparedRows rows, HashSql hashing) {
    return new RowSql(rows, known(rows.table()), hashing);
  }

  private HashSql hashing(RowHash hash) {
    return new HashSql(
        hash,
        database.orElseThrow(() -> new IllegalStateException("BUG: form was not read")).encoding());
  }

  private KnownTable known(TableId table) {
    KnownTable found = known.get(table);
    if (found == null) {
      throw new IllegalStateException("BUG: table " + table + " was not read from the catalog");
    }
    return found;
  }

  private <T> T read(ComparedRows rows, Plan plan, SnapshotReads.Work<T> work) {
    return reads.ofTable(rows.table(), known(rows.table()), plan, work);
  }

  private static Plan plan(ChunkBounds bounds) {
    return bounds instanceof KeyRange ? Plan.INDEX : Plan.SCAN;
  }

  private Plan plan(ComparedRows rows, Lookup how) {
    if (how == Lookup.BY_SCAN) {
      return Plan.SCAN;
    }
    List<String> key = rows.keyOrder();
    return known(rows.table()).hasIndexOver(key) ? Plan.LOOKUP : Plan.ANY;
  }

  private static ChunkSums sums(ResultSet found, int first) throws SQLException {
    return new ChunkSums(found.getLong(first), number(found, first + 1), number(found, first + 2));
  }

  private static BigInteger number(ResultSet found, int column) throws SQLException {
    BigDecimal sum = found.getBigDecimal(column);
    return sum == null ? BigInteger.ZERO : sum.toBigIntegerExact();
  }

  private static HashedRow hashed(ResultSet found, int first) throws SQLException {
    return new HashedRow(key(found, first), found.getLong(first + 1), found.getLong(first + 2));
  }

  private static RowKey key(ResultSet found, int column) throws SQLException {
    return RowKey.of((String[]) found.getArray(column).getArray());
  }
}
