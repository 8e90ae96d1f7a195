package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.DefinitionStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Creates the statements for a relation on the target: columns without indexes, constraints and
 * triggers. A partition with another column order than its parent is created as a table and
 * attached. Owned by the thread that reads the definitions.
 */
final class RelationDefinitions {
  private static final int FIRST_WITH_VIRTUAL_COLUMNS = 18;
  private static final int FIRST_WITH_NAMED_NOT_NULL = 18;

  /* Before PostgreSQL 18 NOT NULL is a property of the column, not a constraint. */
  private static final String COLUMNS =
      """
      SELECT a.attnum, quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
             a.atttypid::int8,
             (SELECT format('%I.%I', n.nspname, c.collname)
              FROM pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace
              WHERE c.oid = a.attcollation AND a.attcollation <> t.typcollation),
             a.attcollation::int8, a.attnotnull AND coalesce(k.convalidated, true),
             pg_get_expr(d.adbin, d.adrelid), a.attgenerated, a.attidentity, a.attislocal,
             quote_ident(k.conname), k.connoinherit,
             -- Whether every parent that has the column computes it in the same way.
             a.attgenerated <> '' AND (
               SELECT bool_and(p.attgenerated = a.attgenerated
                 AND pg_get_expr(pd.adbin, pd.adrelid) = pg_get_expr(d.adbin, d.adrelid))
               FROM pg_inherits i JOIN pg_attribute p ON p.attrelid = i.inhparent
                 AND p.attname = a.attname AND NOT p.attisdropped
               LEFT JOIN pg_attrdef pd ON pd.adrelid = p.attrelid AND pd.adnum = p.attnum
               WHERE i.inhrelid = a.attrelid)
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      LEFT JOIN pg_constraint k ON k.conrelid = a.attrelid AND k.contype = 'n'
        AND k.conkey = ARRAY[a.attnum]
      WHERE a.attrelid = ?::int8::oid AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum
      """;

  /** Inherited columns with a default or NOT NULL of their own. */
  private static final String OWN_WAYS =
      """
      SELECT a.attnum, quote_ident(a.attname), pg_get_expr(d.adbin, d.adrelid),
             pg_get_expr(d.adbin, d.adrelid)
               IS DISTINCT FROM pg_get_expr(above.adbin, above.adrelid),
             a.attnotnull AND NOT above.attnotnull
      FROM pg_attribute a
      CROSS JOIN LATERAL (
        SELECT p.attnotnull, pd.adbin, pd.adrelid
        FROM pg_inherits i
        JOIN pg_attribute p ON p.attrelid = i.inhparent AND p.attname = a.attname
          AND NOT p.attisdropped
        LEFT JOIN pg_attrdef pd ON pd.adrelid = p.attrelid AND pd.adnum = p.attnum
        WHERE i.inhrelid = a.attrelid ORDER BY i.inhseqno LIMIT 1) above
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = ?::int8::oid AND a.attnum > 0 AND NOT a.attisdropped
        AND a.attgenerated = '' AND a.attidentity = ''
      ORDER BY a.attnum
      """;

  private final CatalogRows catalog;
  private final Prerequisites prerequisites;
  private final SequenceDefinitions sequences;
  private final int targetMajorVersion;

  RelationDefinitions(
      CatalogRows catalog,
      Prerequisites prerequisites,
      SequenceDefinitions sequences,
      int targetMajorVersion) {
    this.catalog = catalog;
    this.prerequisites = prerequisites;
    this.sequences = sequences;
    this.targetMajorVersion = targetMajorVersion;
  }

  List<DefinitionStatement> of(SourceRelation relation) throws SQLException {
    prerequisites.needSchema(relation.target().schema());
    prerequisites.needForDefaults(relation.oid());
    List<DefinitionStatement> made = new ArrayList<>();
    boolean attached = relation.isPartition() && !relation.inOrder();
    StringBuilder sql =
        new StringBuilder(relation.unlogged() ? "CREATE UNLOGGED TABLE " : "CREATE TABLE ")
            .append(relation.target().quoted());
    if (relation.isPartition() && !attached) {
      sql.append(" PARTITION OF ")
          .append(relation.parent().quoted())
          .append(' ')
          .append(relation.bound());
    } else {
      sql.append(" (").append(String.join(", ", columns(relation))).append(')');
    }
    if (!relation.inherits().isEmpty()) {
      sql.append(
          relation.inherits().stream()
              .map(TableId::quoted)
              .collect(Collectors.joining(", ", " INHERITS (", ")")));
    }
    if (relation.isPartitioned()) {
      sql.append(" PARTITION BY ").append(relation.partitionKey());
    }
    made.add(DefinitionStatement.always("table " + relation.target(), sql.toString()));
    if (attached) {
      made.add(
          DefinitionStatement.always(
              "partition " + relation.target(),
              "ALTER TABLE %s ATTACH PARTITION %s %s"
                  .formatted(
                      relation.parent().quoted(), relation.target().quoted(), relation.bound())));
    }
    if (relation.isChild()) {
      made.addAll(ownWays(relation));
    }
    return made;
  }

  private List<String> columns(SourceRelation relation) throws SQLException {
    Map<String, String> identities = sequences.identities(relation.oid());
    Map<String, UnaryOperator<String>> defaults =
        sequences.defaults(relation.oid(), relation.target());
    List<String> columns = new ArrayList<>();
    for (String[] row : catalog.of(COLUMNS, relation.oid())) {
      prerequisites.needType(Long.parseLong(row[3]));
      prerequisites.needCollation(Long.parseLong(row[5]));
      if (!relation.inherits().isEmpty() && row[10].equals("f")) {
        continue;
      }
      StringBuilder column = new StringBuilder(row[1]).append(' ').append(row[2]);
      if (row[4] != null) {
        column.append(" COLLATE ").append(row[4]);
      }
      if (row[6].equals("t")) {
        column.append(notNull(row));
      }
      String expression = row[7];
      if (!relation.inherits().isEmpty() && "t".equals(row[13])) {
        // PostgreSQL before version 16 refuses to repeat the parent's definition.
        columns.add(column.toString());
        continue;
      }
      if (!row[8].isEmpty()) {
        boolean virtual = row[8].equals("v") && targetMajorVersion >= FIRST_WITH_VIRTUAL_COLUMNS;
        column
            .append(" GENERATED ALWAYS AS (")
            .append(expression)
            .append(virtual ? ") VIRTUAL" : ") STORED");
      } else if (!row[9].isEmpty() && identities.containsKey(row[0])) {
        column
            .append(row[9].equals("a") ? " GENERATED ALWAYS" : " GENERATED BY DEFAULT")
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

  private String notNull(String[] column) {
    if (column[11] == null || targetMajorVersion < FIRST_WITH_NAMED_NOT_NULL) {
      return " NOT NULL";
    }
    return " CONSTRAINT %s NOT NULL%s"
        .formatted(column[11], column[12].equals("t") ? " NO INHERIT" : "");
  }

  private List<DefinitionStatement> ownWays(SourceRelation relation) throws SQLException {
    Map<String, UnaryOperator<String>> defaults =
        sequences.defaults(relation.oid(), relation.target());
    List<DefinitionStatement> made = new ArrayList<>();
    for (String[] row : catalog.of(OWN_WAYS, relation.oid())) {
      String altering = relation.only() + "ALTER COLUMN " + row[1];
      if (row[3].equals("t")) {
        String expression =
            row[2] == null
                ? null
                : defaults.getOrDefault(row[0], UnaryOperator.identity()).apply(row[2]);
        made.add(
            DefinitionStatement.always(
                "default of %s.%s".formatted(relation.target(), row[1]),
                altering + (expression == null ? " DROP DEFAULT" : " SET DEFAULT " + expression)));
      }
      if (row[4].equals("t")) {
        made.add(
            DefinitionStatement.always(
                "NOT NULL of %s.%s".formatted(relation.target(), row[1]),
                altering + " SET NOT NULL"));
      }
    }
    return made;
  }
}
