package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Checks target columns that were dropped on the source. New rows come without them, so they must
 * stay NULL: a default would add values that the source never had. Stateless.
 */
public final class KeptColumns {
  /** The columns that the target fills by itself, with their default. */
  private static final String FILLED =
      """
      SELECT attname, filled FROM (
        SELECT a.attnum, a.attname, CASE WHEN a.attidentity <> '' THEN 'an identity'
          ELSE coalesce(pg_get_expr(d.adbin, d.adrelid), pg_get_expr(t.typdefaultbin, 0)) END AS filled
        FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = to_regclass(?) AND a.attname = ANY (?::name[])
          AND a.attgenerated = '' AND NOT a.attisdropped) AS kept
      WHERE filled !~ '^NULL(::|$)'
      ORDER BY attnum
      """;

  private KeptColumns() {}

  /**
   * Returns a problem for each column that the target would fill by itself; mostly none.
   *
   * @param gone the columns, by their names on the target
   */
  public static List<Problem> filled(
      TargetConnection connection, TableId target, Collection<String> gone) throws SQLException {
    if (gone.isEmpty()) {
      return List.of();
    }
    List<Problem> problems = new ArrayList<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(FILLED)) {
      statement.setString(1, target.quoted());
      statement.setArray(2, connection.jdbc().createArrayOf("text", gone.toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          problems.add(problem(target, rows.getString(1), rows.getString(2)));
        }
      }
    }
    return problems;
  }

  private static Problem problem(TableId target, String column, String filled) {
    boolean identity = filled.equals("an identity");
    return new Problem(
        "target table " + target,
        "column %s is gone from the source table, and the target would fill it by itself in new rows: %s"
            .formatted(column, filled),
        "a column that stays NULL in new rows",
        "Run on the target, then sluice resume if the table is suspended: ALTER"
            + " TABLE %1$s ALTER COLUMN %2$s %3$s, ALTER COLUMN %2$s DROP NOT NULL; or drop the column there"
                .formatted(
                    target.quoted(),
                    TableId.quote(column),
                    identity ? "DROP IDENTITY" : "SET DEFAULT NULL"));
  }
}
