package dev.sluice.connector.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.FoundHash;
import dev.sluice.connector.api.comparison.FoundRow;
import dev.sluice.connector.api.comparison.HashParts;
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
import dev.sluice.connector.api.comparison.TablePart;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The reads of a view: what the side's tables have under its snapshot. Each is one of {@link
 * SideReads}. Owned by one thread at a time.
 */
abstract class PostgresView implements SideView {
  private final SideServer server;
  private final SideReads reads;
  private final Optional<SideLanes> lanes;
  private final ViewCatalog catalog;
  private final List<SideView> views = new ArrayList<>();

  PostgresView(SideServer server, SideLanes lanes) {
    this.server = server;
    this.reads = lanes.first();
    this.lanes = Optional.of(lanes);
    this.catalog = new ViewCatalog();
    views.add(this);
  }

  /** A lane of another view. */
  PostgresView(PostgresView first, SideReads reads) {
    this.server = first.server;
    this.reads = reads;
    this.lanes = Optional.empty();
    this.catalog = first.catalog;
  }

  @Override
  public List<SideView> lanes(int number) {
    while (views.size() < number) {
      views.add(new LaneView(this, lanes.orElseThrow().another()));
    }
    return List.copyOf(views.subList(0, number));
  }

  @Override
  public boolean tryOpen() {
    return reads.tryOpen();
  }

  @Override
  public void close() {
    lanes.ifPresent(SideLanes::close);
  }

  /** Forgets what was read under an earlier snapshot. */
  final void forget() {
    catalog.forget();
  }

  @Override
  public final SideForm form(HashSeeds seeds) {
    return reads.ofCatalog(
        "the settings",
        session -> {
          CatalogReading.Database database = new CatalogReading(server, session).database();
          catalog.know(database);
          return Canary.form(session, database, seeds);
        });
  }

  @Override
  public final Optional<SideTable> table(TableId table) {
    Optional<SnapshotTable> found =
        reads.ofCatalog(
            "table " + table,
            session -> {
              Optional<SnapshotTable> read = new CatalogReading(server, session).read(table);
              return read.isEmpty() ? read : Optional.of(completed(session, table, read.get()));
            });
    found.ifPresent(read -> catalog.know(table, read));
    return found.map(SnapshotTable::table);
  }

  /** What the server's kind adds to a table that was read from the catalog. */
  SnapshotTable completed(SideSession session, TableId table, SnapshotTable found)
      throws SQLException {
    return found;
  }

  @Override
  public final Optional<RowKey> endOfChunk(ComparedRows rows, KeyRange range, int size) {
    RowSql sql = catalog.sql(rows.leavingOut(List.of()));
    return borders(rows, ChunkSql.end(sql, range, size), sql).stream().findFirst();
  }

  @Override
  public final List<RowKey> endsOfBlocks(
      ComparedRows rows, KeyRange range, int size, int blockRows) {
    RowSql sql = catalog.sql(rows.leavingOut(List.of()));
    return borders(rows, BlockSql.ends(sql, range, size, blockRows), sql);
  }

  private List<RowKey> borders(ComparedRows rows, String query, RowSql sql) {
    return reads.ofBorder(
        rows.table(),
        catalog.table(rows.table()),
        Plan.INDEX,
        session -> session.query(query, sql.parameters(), ReadRows::keys));
  }

  @Override
  public final ChunkSums sums(ComparedRows rows, ChunkBounds bounds, RowHash hash, long most) {
    if (!(bounds instanceof KeyRange range) || range.after().isEmpty()) {
      requireKeys(rows);
    }
    HashSql hashing = catalog.hashing(hash);
    RowSql sql = catalog.sql(rows, hashing);
    String query = ChunkSql.sums(sql, hashing, bounds, " LIMIT " + (most + 1));
    return read(
        rows, Plan.of(bounds), session -> session.query(query, sql.parameters(), ReadRows::sums));
  }

  @Override
  public final List<ChunkSums> sumsOfBlocks(
      ComparedRows rows, List<KeyRange> blocks, RowHash hash, long most) {
    RowSql sql = catalog.sql(rows, catalog.hashing(hash));
    String query = BlockSql.sums(sql, catalog.hashing(hash), blocks, most);
    return grouped(rows, Plan.INDEX, query, sql, 1, blocks.size());
  }

  @Override
  public final Optional<String> sumsStatement(ComparedRows rows, ChunkBounds bounds, RowHash hash) {
    HashSql hashing = catalog.hashing(hash);
    RowSql sql = catalog.sql(rows, hashing);
    return LiteralSql.of(ChunkSql.sums(sql, hashing, bounds, ""), sql.parameters());
  }

  @Override
  public final List<ChunkSums> sums(ComparedRows rows, KeyBuckets buckets, RowHash hash) {
    requireKeys(rows);
    HashSql hashing = catalog.hashing(hash);
    RowSql sql = catalog.sql(rows, hashing);
    String query = ChunkSql.sums(sql, hashing, buckets);
    return grouped(rows, Plan.SCAN, query, sql, buckets.first(), buckets.size());
  }

  @Override
  public final List<ChunkSums> sumsByHash(
      ComparedRows rows, ChunkBounds bounds, RowHash hash, int parts) {
    HashSql hashing = catalog.hashing(hash);
    RowSql sql = catalog.sql(rows, hashing);
    String query = ChunkSql.sumsByHash(sql, hashing, bounds, parts);
    return grouped(rows, Plan.of(bounds), query, sql, 0, parts);
  }

  /**
   * Looks for a row whose key has NULL. No range has it, since no comparison with NULL is true, and
   * the other side cannot have it.
   */
  private void requireKeys(ComparedRows rows) {
    SnapshotTable table = catalog.table(rows.table());
    List<String> keyless =
        rows.key().stream()
            .map(ComparedValue::column)
            .filter(column -> table.column(column).takesNull())
            .map(column -> TableId.quote(column) + " IS NULL")
            .toList();
    if (keyless.isEmpty()) {
      return;
    }
    RowSql sql = catalog.sql(rows.leavingOut(List.of()));
    List<String> conditions = sql.conditions();
    conditions.add("(" + String.join(" OR ", keyless) + ")");
    String query = "SELECT 1 FROM %s%s LIMIT 1".formatted(sql.from(), RowSql.where(conditions));
    if (read(rows, Plan.ANY, session -> session.query(query, sql.parameters(), ResultSet::next))) {
      throw new NotReadable(
          Reason.FAILED,
          "table %s of the %s: a row has NULL in its key (%s); expected a value. Give the row a key, or delete it if it is not needed, then compare the table again"
              .formatted(rows.table(), server, String.join(" or ", keyless)),
          null);
    }
  }

  /** Sums by the number in the first column. */
  private List<ChunkSums> grouped(
      ComparedRows rows, Plan plan, String query, RowSql sql, int first, int size) {
    return read(
        rows,
        plan,
        session ->
            session.query(query, sql.parameters(), found -> ReadRows.sums(found, first, size)));
  }

  @Override
  public final List<HashedRow> hashes(
      ComparedRows rows, ChunkBounds bounds, RowHash hash, HashParts parts, int most) {
    HashSql hashing = catalog.hashing(hash);
    RowSql sql = catalog.sql(rows, hashing);
    String query = ChunkSql.hashes(sql, hashing, bounds, parts, most + 1L);
    return hashed(rows, Plan.of(bounds), query, sql, most);
  }

  @Override
  public final List<HashedRow> hashesOfBlocks(
      ComparedRows rows, List<KeyRange> blocks, RowHash hash, int most) {
    RowSql sql = catalog.sql(rows, catalog.hashing(hash));
    String query = BlockSql.hashes(sql, catalog.hashing(hash), blocks, most);
    return hashed(rows, Plan.INDEX, query, sql, most);
  }

  private List<HashedRow> hashed(ComparedRows rows, Plan plan, String query, RowSql sql, int most) {
    List<HashedRow> found =
        read(
            rows,
            plan,
            session ->
                session.query(
                    query, sql.parameters(), result -> ReadRows.hashed(result, rows.key().size())));
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
    HashSql hashing = catalog.hashing(hash);
    RowSql sql = catalog.sql(rows, hashing);
    String query = LookupSql.hashes(sql, hashing, keys, how);
    return read(
        rows,
        catalog.plan(rows, how),
        session -> session.query(query, sql.parameters(), ReadRows::foundHashes));
  }

  @Override
  public final List<FoundRow> read(ComparedRows rows, List<RowKey> keys, Lookup how) {
    RowSql sql = catalog.sql(rows);
    String query = LookupSql.rows(sql, keys, how, Optional.empty());
    return read(
        rows,
        catalog.plan(rows, how),
        session -> session.query(query, sql.parameters(), ReadRows::foundRows));
  }

  /** Of a target: finds rows of some pages by their keys. */
  public List<FoundRow> read(ComparedRows rows, List<RowKey> keys, TablePart part) {
    RowSql sql = catalog.sql(rows);
    String query = LookupSql.rows(sql, keys, Lookup.BY_SCAN, Optional.of(part));
    return read(
        rows, Plan.PAGES, session -> session.query(query, sql.parameters(), ReadRows::foundRows));
  }

  /** Of a target: the pages of its largest partition. */
  public long pages(TableId table) {
    return reads.ofCatalog(
        "table " + table,
        session ->
            session.query(
                CatalogQueries.PAGES,
                List.of(table.quoted()),
                found -> CatalogReading.text(found).map(Long::valueOf).orElse(0L)));
  }

  @Override
  public final List<FoundRow> read(
      ComparedRows rows, RowHash hash, List<HashedRow> wanted, int most) {
    HashSql hashing = catalog.hashing(hash);
    RowSql sql = catalog.sql(rows, hashing);
    String query = LookupSql.rows(sql, hashing, wanted, most);
    return read(
        rows, Plan.SCAN, session -> session.query(query, sql.parameters(), ReadRows::foundRows));
  }

  private <T> T read(ComparedRows rows, Plan plan, SideReads.Work<T> work) {
    return reads.ofTable(rows.table(), catalog.table(rows.table()), plan, work);
  }
}
