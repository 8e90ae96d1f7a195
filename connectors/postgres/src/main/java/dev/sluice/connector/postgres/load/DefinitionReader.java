package dev.sluice.connector.postgres.load;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableDefinitions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Reads out of the source's catalog what makes the same tables on a target: columns with types,
 * collations, defaults, identity and generation, partitions, keys, and whatever those need.
 * Secondary indexes, other constraints, triggers and grants are no part of it. Owned by the thread
 * that uses its connection.
 */
public final class DefinitionReader {
  private static final int FIRST_WITH_VIRTUAL_COLUMNS = 18;

  /** The table and its partitions, each after its parent. */
  private static final String TREE =
      """
      SELECT c.oid::int8, n.nspname, c.relname, pn.nspname, p.relname,
             pg_get_expr(c.relpartbound, c.oid), pg_get_partkeydef(c.oid)
      FROM (SELECT relid::oid, parentrelid::oid, level
            FROM pg_partition_tree(?::int8::oid::regclass)
            UNION SELECT ?::int8::oid, NULL, 0
            WHERE NOT EXISTS (SELECT FROM pg_partition_tree(?::int8::oid::regclass))) tree
      JOIN pg_class c ON c.oid = tree.relid AND c.relkind IN ('r', 'p')
      JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_class p ON p.oid = tree.parentrelid AND tree.level > 0
      LEFT JOIN pg_namespace pn ON pn.oid = p.relnamespace
      ORDER BY tree.level, n.nspname, c.relname
      """;

  private static final String COLUMNS =
      """
      SELECT a.attnum, quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
             a.atttypid::int8,
             (SELECT format('%I.%I', n.nspname, c.collname)
              FROM pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace
              WHERE c.oid = a.attcollation AND a.attcollation <> t.typcollation),
             a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attgenerated, a.attidentity
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = ?::int8::oid AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum
      """;

  /** Primary keys that are not their parent's. */
  private static final String PRIMARY_KEY =
      """
      SELECT quote_ident(conname), pg_get_constraintdef(oid)
      FROM pg_constraint
      WHERE conrelid = ?::int8::oid AND contype = 'p' AND conparentid = 0
      """;

  private static final String IDENTITY_INDEX =
      """
      SELECT quote_ident(c.relname),
             (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.place)
              FROM unnest(i.indkey::int2[]) WITH ORDINALITY k (attnum, place)
              JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
              WHERE k.place <= i.indnkeyatts)
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = ?::int8::oid AND i.indisreplident AND NOT i.indisprimary
      """;

  private final Connection connection;
  private final CatalogRows catalog;

  public DefinitionReader(Connection connection) {
    this.connection = connection;
    this.catalog = new CatalogRows(connection);
  }

  /**
   * What makes the tables.
   *
   * @param targetOf the name that a source's table or sequence has on the target
   * @param targetMajorVersion of the target's PostgreSQL, such as 16
   */
  public TableDefinitions read(
      List<TableId> tables, UnaryOperator<TableId> targetOf, int targetMajorVersion) {
    TypeDefinitions types = new TypeDefinitions(catalog, targetMajorVersion);
    SequenceDefinitions sequences = new SequenceDefinitions(catalog, targetOf, types);
    List<DefinitionStatement> made = new ArrayList<>();
    List<DefinitionStatement> keys = new ArrayList<>();
    for (TableId table : tables) {
      try {
        for (String[] relation : catalog.of(TREE, oid(table))) {
          TableId target = targetOf.apply(new TableId(relation[1], relation[2]));
          types.needSchema(target.schema());
          made.add(relation(relation, target, targetOf, types, sequences, targetMajorVersion));
          keys.addAll(keys(Long.parseLong(relation[0]), target));
        }
      } catch (SQLException e) {
        throw SourceErrors.classify("read the definition of " + table, e);
      }
    }
    made.addAll(sequences.owners());
    List<DefinitionStatement> needed = new ArrayList<>(types.statements());
    needed.addAll(sequences.statements());
    return new TableDefinitions(needed, made, keys);
  }

  private long oid(TableId table) throws SQLException {
    String sql =
        "SELECT c.oid::int8 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            + " WHERE n.nspname = ?::text AND c.relname = ?::text AND c.relkind IN ('r', 'p')";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          throw new SluiceException.Overtaken("source table " + table + " is gone", null);
        }
        return rows.getLong(1);
      }
    }
  }

  private DefinitionStatement relation(
      String[] relation,
      TableId target,
      UnaryOperator<TableId> targetOf,
      TypeDefinitions types,
      SequenceDefinitions sequences,
      int targetMajorVersion)
      throws SQLException {
    long oid = Long.parseLong(relation[0]);
    StringBuilder sql = new StringBuilder("CREATE TABLE ").append(target.quoted());
    if (relation[4] != null) {
      TableId parent = targetOf.apply(new TableId(relation[3], relation[4]));
      sql.append(" PARTITION OF ").append(parent.quoted()).append(' ').append(relation[5]);
    } else {
      sql.append(" (")
          .append(String.join(", ", columns(oid, target, types, sequences, targetMajorVersion)))
          .append(')');
    }
    if (relation[6] != null) {
      sql.append(" PARTITION BY ").append(relation[6]);
    }
    return DefinitionStatement.always("table " + target, sql.toString());
  }

  private List<String> columns(
      long oid,
      TableId target,
      TypeDefinitions types,
      SequenceDefinitions sequences,
      int targetMajorVersion)
      throws SQLException {
    types.needForDefaults(oid);
    Map<String, String> identities = sequences.identities(oid);
    Map<String, UnaryOperator<String>> defaults = sequences.defaults(oid, target);
    List<String> columns = new ArrayList<>();
    for (String[] row : catalog.of(COLUMNS, oid)) {
      types.need(Long.parseLong(row[3]));
      StringBuilder column = new StringBuilder(row[1]).append(' ').append(row[2]);
      if (row[4] != null) {
        column.append(" COLLATE ").append(row[4]);
      }
      if (row[5].equals("t")) {
        column.append(" NOT NULL");
      }
      String expression = row[6];
      if (!row[7].isEmpty()) {
        boolean virtual = row[7].equals("v") && targetMajorVersion >= FIRST_WITH_VIRTUAL_COLUMNS;
        column
            .append(" GENERATED ALWAYS AS (")
            .append(expression)
            .append(virtual ? ") VIRTUAL" : ") STORED");
      } else if (!row[8].isEmpty()) {
        column
            .append(row[8].equals("a") ? " GENERATED ALWAYS" : " GENERATED BY DEFAULT")
            .append(" AS IDENTITY ")
            .append(identities.get(row[0]));
      } else if (expression != null) {
        column
            .append(" DEFAULT ")
            .append(defaults.getOrDefault(row[0], UnaryOperator.identity()).apply(expression));
      }
      columns.add(column.toString());
    }
    return columns;
  }

  private List<DefinitionStatement> keys(long oid, TableId target) throws SQLException {
    List<DefinitionStatement> keys = new ArrayList<>();
    for (String[] row : catalog.of(PRIMARY_KEY, oid)) {
      keys.add(
          new DefinitionStatement(
              "primary key of " + target,
              "SELECT 1 FROM pg_constraint WHERE contype = 'p' AND conrelid = to_regclass("
                  + SqlLiteral.of(target.quoted())
                  + ")",
              "ALTER TABLE %s ADD CONSTRAINT %s %s".formatted(target.quoted(), row[0], row[1])));
    }
    for (String[] row : catalog.of(IDENTITY_INDEX, oid)) {
      keys.add(
          new DefinitionStatement(
              "replica identity index of " + target,
              "SELECT 1 WHERE to_regclass("
                  + SqlLiteral.of(TableId.quote(target.schema()) + "." + row[0])
                  + ") IS NOT NULL",
              "CREATE UNIQUE INDEX %s ON %s (%s)".formatted(row[0], target.quoted(), row[1])));
    }
    return keys;
  }
}
