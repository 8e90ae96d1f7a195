package dev.sluice.connector.postgres.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.BeforeImages;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks that transformation rules alter no column on which another part of the table depends. Used
 * by one thread.
 */
final class ColumnChecks {

  /** The columns of partition keys in the table's tree; NULL where one is an expression. */
  private static final String PARTITION_KEYS =
      """
      SELECT DISTINCT a.attname
      FROM (SELECT ?::pg_catalog.regclass::oid AS relid
            UNION SELECT relid::oid FROM pg_catalog.pg_partition_tree(?::pg_catalog.regclass)) t
      JOIN pg_catalog.pg_partitioned_table p ON p.partrelid = t.relid
      CROSS JOIN LATERAL pg_catalog.unnest(p.partattrs::int2[]) k (number)
      LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = k.number
      """;

  /** The columns from which generated columns are computed. */
  private static final String INPUTS =
      """
      SELECT DISTINCT a.attname
      FROM pg_catalog.pg_attrdef e
      JOIN pg_catalog.pg_attribute g
        ON g.attrelid = e.adrelid AND g.attnum = e.adnum AND g.attgenerated <> ''
      JOIN pg_catalog.pg_depend d ON d.refobjid = e.adrelid AND d.refobjsubid > 0
        AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
        AND (d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND d.objid = e.oid
          OR d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = e.adrelid
            AND d.objsubid = e.adnum)
      JOIN pg_catalog.pg_attribute a ON a.attrelid = e.adrelid AND a.attnum = d.refobjsubid
      WHERE e.adrelid = ?::pg_catalog.regclass AND a.attnum <> g.attnum
        AND ?::pg_catalog.regclass IS NOT NULL
      """;

  /** The columns whose type is a domain that accepts no NULL, or is based on one. */
  private static final String WITHOUT_NULL =
      """
      WITH RECURSIVE types (attname, oid) AS (
        SELECT a.attname, a.atttypid FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = ?::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT types.attname, t.typbasetype
        FROM types JOIN pg_catalog.pg_type t ON t.oid = types.oid AND t.typtype = 'd')
      SELECT DISTINCT types.attname
      FROM types JOIN pg_catalog.pg_type t ON t.oid = types.oid
      WHERE t.typtype = 'd' AND t.typnotnull AND ?::pg_catalog.regclass IS NOT NULL
      """;

  private final Connection connection;

  ColumnChecks(Connection connection) {
    this.connection = connection;
  }

  List<Problem> problems(CatalogTable table, TableMappings mappings) throws SQLException {
    if (!mappings.mapsColumns()) {
      return List.of();
    }
    List<Problem> problems = new ArrayList<>();
    for (Optional<String> key : columns(PARTITION_KEYS, table.table())) {
      if (key.map(column -> isOther(mappings, table.table(), column))
          .orElse(isAnyOther(mappings, table))) {
        problems.add(
            new Problem(
                "table-mappings, table " + table.table(),
                key.map(column -> "rules alter column " + column + ", by which it is partitioned")
                    .orElse("rules alter its columns, and it is partitioned by an expression"),
                "the column unchanged: the log's partition conditions use it",
                "Take the column out of the rules"));
      }
    }
    for (Optional<String> input : columns(INPUTS, table.table())) {
      input
          .filter(column -> mappings.columns().of(table.table(), column).isEmpty())
          .ifPresent(
              column ->
                  problems.add(
                      new Problem(
                          "table-mappings, table " + table.table(),
                          "rules leave out column "
                              + column
                              + ", from which a generated column is computed",
                          "all columns from which the target computes others",
                          "Take the column out of the rules")));
    }
    problems.addAll(withoutNull(table, mappings));
    return problems;
  }

  /** A before-image column is NULL until the row's first update. */
  private List<Problem> withoutNull(CatalogTable table, TableMappings mappings)
      throws SQLException {
    Optional<BeforeImages> images = mappings.beforeImages(table.table());
    if (images.isEmpty() || !table.hasKey()) {
      return List.of();
    }
    List<Optional<String>> withoutNull = columns(WITHOUT_NULL, table.table());
    return table.journaledColumns().stream()
        .filter(column -> withoutNull.contains(Optional.of(column.name())))
        .filter(
            column ->
                mappings
                    .columns()
                    .beforeOf(table.table(), column.name(), column.type(), column.key())
                    .isPresent())
        .map(
            column ->
                new Problem(
                    "table " + table.table(),
                    "rule %s adds a before-image column for %s, whose type %s accepts no NULL"
                        .formatted(images.get().rule(), column.name(), column.type()),
                    "a type that accepts NULL: the column is NULL until a row's first update",
                    "Drop NOT NULL from the domain, or exclude the table from the rule"))
        .toList();
  }

  private static boolean isOther(TableMappings mappings, TableId table, String column) {
    return !mappings.columns().keeps(table, column)
        || mappings.columns().typeOf(table, column).isPresent();
  }

  private static boolean isAnyOther(TableMappings mappings, CatalogTable table) {
    return table.columns().stream()
        .anyMatch(column -> isOther(mappings, table.table(), column.name()));
  }

  private List<Optional<String>> columns(String sql, TableId table) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, table.quoted());
      statement.setString(2, table.quoted());
      List<Optional<String>> columns = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          columns.add(Optional.ofNullable(rows.getString(1)));
        }
      }
      return columns;
    }
  }
}
