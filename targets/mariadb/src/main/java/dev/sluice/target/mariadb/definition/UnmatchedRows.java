package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.target.mariadb.catalog.Shown;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Finds rows that violate a new foreign key, since they were there before it. Pure. */
final class UnmatchedRows {
  private static final int NAMED_AT_MOST = 10;

  private static final int LONGEST_TEXT = 500;

  private UnmatchedRows() {}

  /**
   * A query that returns one text with the keys of such rows, and no row if there are none.
   *
   * @param columns of the foreign key, in the order of the referenced ones
   */
  static String query(
      TableOutline table, List<String> columns, TableId other, List<String> referenced) {
    List<String> equal = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      equal.add("o." + TableId.quote(referenced.get(i)) + " = r." + TableId.quote(columns.get(i)));
    }
    List<String> named = table.key().isEmpty() ? columns : table.key();
    return """
        SELECT LEFT(CONCAT(%s, GROUP_CONCAT(named ORDER BY named SEPARATOR ', ')), %d) FROM (
          SELECT CONCAT('(', CONCAT_WS(', ', %s), ')') AS named FROM %s r LEFT JOIN %s o ON %s
          WHERE %s AND o.%s IS NULL LIMIT %d) AS found
        HAVING COUNT(*) > 0"""
        .formatted(
            Shown.text(
                "rows of %s have no row in %s, such as those with %s "
                    .formatted(table.table(), other, String.join(", ", named))),
            LONGEST_TEXT,
            list("r.", named),
            table.table().quoted(),
            other.quoted(),
            String.join(" AND ", equal),
            columns.stream()
                .map(column -> "r." + TableId.quote(column) + " IS NOT NULL")
                .collect(Collectors.joining(" AND ")),
            TableId.quote(referenced.get(0)),
            NAMED_AT_MOST);
  }

  private static String list(String prefix, List<String> names) {
    return names.stream()
        .map(name -> prefix + TableId.quote(name))
        .collect(Collectors.joining(", "));
  }
}
