package dev.sluice.connector.mariadb.load;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Divides a table by the first column of its key, if that is a whole number: divides the numbers
 * from the lowest to the highest evenly. Other tables are one segment. Owned by the thread that
 * owns the connection.
 */
final class KeySegments {
  private static final Set<String> WHOLE_NUMBERS =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint");

  private final Connection connection;
  private final DataSize size;

  /**
   * @param size approximate size of a segment
   */
  KeySegments(Connection connection, DataSize size) {
    this.connection = connection;
    this.size = size;
  }

  /** Ranges that together contain each row once. */
  List<SegmentRange> of(MariadbTable table) throws SQLException {
    long wanted = table.bytes() / Math.max(1, size.bytes()) + 1;
    Optional<MariadbColumn> divided = divided(table);
    if (divided.isEmpty() || table.bytes() <= size.bytes()) {
      return List.of(new SegmentRange.Whole());
    }
    String column = TableId.quote(divided.get().name());
    String[] ends =
        new MariadbQuery(connection)
            .row(
                "SELECT CAST(min(%1$s) AS CHAR), CAST(max(%1$s) AS CHAR) FROM %2$s"
                    .formatted(column, table.table().quoted()))
            .orElseThrow();
    return ends[0] == null
        ? List.of(new SegmentRange.Whole())
        : between(column, new BigInteger(ends[0]), new BigInteger(ends[1]), wanted);
  }

  private static Optional<MariadbColumn> divided(MariadbTable table) {
    return table.keyColumns().stream()
        .findFirst()
        .flatMap(table::column)
        .filter(column -> WHOLE_NUMBERS.contains(column.dataType()));
  }

  /** The first and the last range are open: rows may be inserted before the snapshot is taken. */
  private static List<SegmentRange> between(
      String column, BigInteger lowest, BigInteger highest, long wanted) {
    BigInteger numbers = highest.subtract(lowest).add(BigInteger.ONE);
    BigInteger count = BigInteger.valueOf(wanted).min(numbers);
    List<SegmentRange> ranges = new ArrayList<>();
    List<BigInteger> cuts = new ArrayList<>();
    for (BigInteger i = BigInteger.ONE; i.compareTo(count) < 0; i = i.add(BigInteger.ONE)) {
      cuts.add(lowest.add(numbers.multiply(i).divide(count)));
    }
    for (int i = 0; i <= cuts.size(); i++) {
      List<String> conditions = new ArrayList<>();
      if (i > 0) {
        conditions.add(column + " >= " + cuts.get(i - 1));
      }
      if (i < cuts.size()) {
        conditions.add(column + " < " + cuts.get(i));
      }
      String condition = String.join(" AND ", conditions);
      ranges.add(
          condition.isEmpty()
              ? new SegmentRange.Whole()
              : new MariadbRange(condition, "rows with " + condition));
    }
    return ranges;
  }
}
