package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.FoundHash;
import dev.sluice.connector.api.comparison.FoundRow;
import dev.sluice.connector.api.comparison.HashedRow;
import dev.sluice.connector.api.comparison.RowKey;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Reads the results of the queries of {@link ChunkSql} and {@link LookupSql}. Stateless. */
final class ReadRows {
  private ReadRows() {}

  /** Keys, one in each row. */
  static List<RowKey> keys(ResultSet found) throws SQLException {
    List<RowKey> keys = new ArrayList<>();
    while (found.next()) {
      keys.add(key(found, 1));
    }
    return keys;
  }

  /** The only row. */
  static ChunkSums sums(ResultSet found) throws SQLException {
    found.next();
    return sums(found, 1);
  }

  /** Sums by the number in the first column. */
  static List<ChunkSums> sums(ResultSet found, int first, int size) throws SQLException {
    List<ChunkSums> sums = new ArrayList<>(Collections.nCopies(size, ChunkSums.NONE));
    while (found.next()) {
      sums.set(found.getInt(1) - first, sums(found, 2));
    }
    return sums;
  }

  /** Rows of a key's columns and two hashes. */
  static List<HashedRow> hashed(ResultSet found, int columns) throws SQLException {
    List<HashedRow> hashed = new ArrayList<>();
    while (found.next()) {
      String[] key = new String[columns];
      for (int i = 0; i < columns; i++) {
        key[i] = found.getString(i + 1);
      }
      hashed.add(
          new HashedRow(RowKey.of(key), found.getLong(columns + 1), found.getLong(columns + 2)));
    }
    return hashed;
  }

  static List<FoundHash> foundHashes(ResultSet found) throws SQLException {
    List<FoundHash> hashes = new ArrayList<>();
    while (found.next()) {
      HashedRow row = new HashedRow(key(found, 1), found.getLong(3), found.getLong(4));
      hashes.add(new FoundHash(found.getInt(2) - 1, row));
    }
    return hashes;
  }

  static List<FoundRow> foundRows(ResultSet found) throws SQLException {
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

  private static ChunkSums sums(ResultSet found, int first) throws SQLException {
    return new ChunkSums(found.getLong(first), number(found, first + 1), number(found, first + 2));
  }

  private static BigInteger number(ResultSet found, int column) throws SQLException {
    String sum = found.getString(column);
    return sum == null ? BigInteger.ZERO : new BigInteger(sum);
  }

  private static RowKey key(ResultSet found, int column) throws SQLException {
    return RowKey.of((String[]) found.getArray(column).getArray());
  }
}
