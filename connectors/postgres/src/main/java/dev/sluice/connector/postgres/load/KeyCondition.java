package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.load.RowsByKey;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.util.Optional;
import java.util.stream.Collectors;

/** The SQL condition of rows with given keys. Stateless. */
final class KeyCondition {
  private KeyCondition() {}

  /** A range by which these rows can be read like a segment. */
  static SegmentRange of(RowsByKey rows) {
    String byKey =
        rows.keys().stream()
            .map(key -> key.stream().map(SqlLiteral::of).collect(Collectors.joining(", ")))
            .map(key -> rows.columns().size() > 1 ? "(" + key + ")" : key)
            .collect(
                Collectors.joining(
                    ", ",
                    rows.columns().stream()
                            .map(TableId::quote)
                            .collect(Collectors.joining(", ", "(", ")"))
                        + " IN (",
                    ")"));
    boolean everywhere =
        rows.within().stream().anyMatch(range -> SqlRange.conditionOf(range).isEmpty());
    String sql =
        everywhere
            ? byKey
            : byKey
                + rows.within().stream()
                    .map(SqlRange::conditionOf)
                    .flatMap(Optional::stream)
                    .collect(Collectors.joining(") OR (", " AND ((", "))"));
    return new SqlRange.Keys(sql, rows.keys().size() + " changed keys");
  }
}
