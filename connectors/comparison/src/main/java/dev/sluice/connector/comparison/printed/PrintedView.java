package dev.sluice.connector.comparison.printed;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.ComparedRows;
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
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads tables of a server that cannot print a value as PostgreSQL does: rows travel to this
 * process, which prints and hashes them. Owned by one thread at a time.
 */
public abstract class PrintedView implements SideView {
  private final String side;
  private final TableReads reads;
  private final ScanSql sql;
  private final PrintedScans scans;

  /**
   * @param side which one it is, for messages
   */
  protected PrintedView(String side, TableReads reads, ScanSql sql) {
    this.side = side;
    this.reads = reads;
    this.sql = sql;
    this.scans = new PrintedScans(side, reads, sql);
  }

  /** The checkpoint that a session sees; empty if there is none. */
  protected static Optional<Position> checkpoint(Connection session, CheckpointQuery query)
      throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(query.sql())) {
      for (int i = 0; i < query.values().size(); i++) {
        statement.setString(i + 1, query.values().get(i));
      }
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.ofNullable(row.getString(1)).map(Position::parse)
            : Optional.empty();
      }
    }
  }

  /** Reads a table from the catalog as it is now; empty if there is none of that name. */
  protected abstract Optional<PrintedTable> describe(TableId table);

  @Override
  public final SideForm form(HashSeeds seeds) {
    return new SideForm("UTF8", true, PostgresSample.PRINTED, "", "");
  }

  @Override
  public final Optional<SideTable> table(TableId table) {
    Optional<PrintedTable> found = describe(table);
    found.ifPresent(read -> scans.know(table, read));
    return found.map(PrintedTable::table);
  }

  @Override
  public Optional<RowKey> endOfChunk(ComparedRows rows, KeyRange range, int size) {
    KeyConditions keys = scans.keys(rows);
    List<RowKey> end =
        scans.keysOf(rows, keys.of(range), " ORDER BY " + keys.order() + sql.oneBehind(size - 1));
    return end.stream().findFirst();
  }

  @Override
  public List<RowKey> endsOfBlocks(ComparedRows rows, KeyRange range, int size, int blockRows) {
    KeyConditions keys = scans.keys(rows);
    List<RowKey> all =
        scans.keysOf(rows, keys.of(range), " ORDER BY " + keys.order() + sql.first(size));
    List<RowKey> ends = new ArrayList<>();
    for (int i = 1; i <= all.size(); i++) {
      if (i % blockRows == 0 || i == size) {
        ends.add(all.get(i - 1));
      }
    }
    return ends;
  }

  @Override
  public ChunkSums sums(ComparedRows rows, ChunkBounds bounds, RowHash hash, long most) {
    RowDigest digest = RowDigest.of(hash);
    SumOfRows sum = new SumOfRows();
    scans.scan(rows, bounds, most + 1, scan -> sum.add(digest.read(scan.text())));
    return sum.sums();
  }

  @Override
  public List<ChunkSums> sumsOfBlocks(
      ComparedRows rows, List<KeyRange> blocks, RowHash hash, long most) {
    List<ChunkSums> sums = new ArrayList<>();
    RowDigest digest = RowDigest.of(hash);
    KeyConditions keys = scans.keys(rows);
    for (List<KeyRange> run : Neighbours.of(blocks)) {
      BlockSums ofRun = new BlockSums(run);
      // If there are more, a block has more than are read of it.
      long limit = run.size() * most + rows.leftOut().size() + 1;
      // Each row counts, as those that are left out may be a block's end.
      scans.scanAll(
          rows,
          keys.of(Neighbours.whole(run)),
          " ORDER BY " + keys.order() + sql.first(limit),
          scan -> ofRun.add(scan.key(), scan.isLeftOut() ? null : digest.read(scan.text())));
      Optional<List<ChunkSums>> ofBlocks = ofRun.sums();
      if (ofBlocks.isEmpty()) {
        return List.of();
      }
      sums.addAll(ofBlocks.get());
    }
    return sums;
  }

  /** Nobody but Sluice can compute these sums. */
  @Override
  public Optional<String> sumsStatement(ComparedRows rows, ChunkBounds bounds, RowHash hash) {
    return Optional.empty();
  }

  @Override
  public List<ChunkSums> sums(ComparedRows rows, KeyBuckets buckets, RowHash hash) {
    RowDigest digest = RowDigest.of(hash);
    RowDigest ofKey = RowDigest.withoutSeeds();
    List<SumOfRows> sums = Stream.generate(SumOfRows::new).limit(buckets.size()).toList();
    scans.scan(
        rows,
        List.of(),
        "",
        scan -> {
          int bucket = PrintedScans.bucket(ofKey, scan, buckets.of());
          if (bucket >= buckets.first() && bucket <= buckets.last()) {
            sums.get(bucket - buckets.first()).add(digest.read(scan.text()));
          }
        });
    return sums.stream().map(SumOfRows::sums).toList();
  }

  @Override
  public List<ChunkSums> sumsByHash(
      ComparedRows rows, ChunkBounds bounds, RowHash hash, int parts) {
    RowDigest digest = RowDigest.of(hash);
    List<SumOfRows> sums = Stream.generate(SumOfRows::new).limit(parts).toList();
    scans.scan(
        rows,
        bounds,
        PrintedScans.ALL,
        scan -> {
          digest.read(scan.text());
          sums.get(digest.part(parts)).add(digest);
        });
    return sums.stream().map(SumOfRows::sums).toList();
  }

  @Override
  public List<HashedRow> hashes(
      ComparedRows rows, ChunkBounds bounds, RowHash hash, HashParts parts, int most) {
    RowDigest digest = RowDigest.of(hash);
    List<HashedRow> found = new ArrayList<>();
    scans.scan(
        rows,
        bounds,
        PrintedScans.ALL,
        scan -> {
          digest.read(scan.text());
          if (parts.isAll() || parts.parts().contains(digest.part(parts.of()))) {
            add(found, scan, digest, rows, most);
          }
        });
    return found;
  }

  private void add(
      List<HashedRow> found, RowScan scan, RowDigest digest, ComparedRows rows, int most) {
    if (found.size() == most) {
      throw new NotReadable(
          Reason.OUT_OF_TIME,
          "table %s of the %s has more than %,d rows in one chunk"
              .formatted(rows.table(), side, most),
          null);
    }
    found.add(digest.withKey(scan.key()));
  }

  @Override
  public List<HashedRow> hashesOfBlocks(
      ComparedRows rows, List<KeyRange> blocks, RowHash hash, int most) {
    RowDigest digest = RowDigest.of(hash);
    List<HashedRow> found = new ArrayList<>();
    for (List<KeyRange> run : Neighbours.of(blocks)) {
      scans.scan(
          rows,
          Neighbours.whole(run),
          PrintedScans.ALL,
          scan -> add(found, scan, digest.read(scan.text()), rows, most));
    }
    return found;
  }

  @Override
  public List<FoundHash> find(ComparedRows rows, List<RowKey> keys, RowHash hash, Lookup how) {
    RowDigest digest = RowDigest.of(hash);
    List<FoundHash> found = new ArrayList<>();
    scans.lookUp(
        rows,
        keys,
        how,
        (number, scan) ->
            found.add(new FoundHash(number, digest.read(scan.text()).withKey(scan.key()))));
    return found;
  }

  @Override
  public List<FoundRow> read(ComparedRows rows, List<RowKey> keys, Lookup how) {
    List<FoundRow> found = new ArrayList<>();
    scans.lookUp(
        rows,
        keys,
        how,
        (number, scan) -> found.add(new FoundRow(number, scan.key(), scan.values())));
    return found;
  }

  @Override
  public List<FoundRow> read(ComparedRows rows, RowHash hash, List<HashedRow> wanted, int most) {
    RowDigest digest = RowDigest.of(hash);
    List<FoundRow> found = new ArrayList<>();
    scans.scan(
        rows,
        List.of(),
        "",
        scan -> {
          digest.read(scan.text());
          for (int i = 0; i < wanted.size() && found.size() < most; i++) {
            if (digest.isOf(wanted.get(i))) {
              found.add(new FoundRow(i, scan.key(), scan.values()));
            }
          }
        });
    return found;
  }

  @Override
  public boolean tryOpen() {
    return true;
  }

  /** No later session can join the snapshot of another, so only the first lane has one. */
  @Override
  public final List<SideView> lanes(int number) {
    List<SideView> lanes = new ArrayList<>(List.of(this));
    while (lanes.size() < number) {
      lanes.add(new LaneWithoutSession(this));
    }
    return lanes;
  }

  @Override
  public void close() {
    reads.close();
  }

  /** A further lane. */
  private static final class LaneWithoutSession extends PrintedView {
    private final PrintedView first;

    LaneWithoutSession(PrintedView first) {
      super(first.side, first.reads, first.sql);
      this.first = first;
    }

    @Override
    protected Optional<PrintedTable> describe(TableId table) {
      return first.describe(table);
    }

    @Override
    public boolean tryOpen() {
      return false;
    }
  }
}
