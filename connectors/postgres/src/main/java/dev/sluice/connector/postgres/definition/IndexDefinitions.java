package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Creates the steps for the indexes of a relation on the target, and for the primary keys, unique
 * and exclusion constraints based on one. Indexes of partitions are created first, with their own
 * names and in parallel, then attached to the parent's index. Owned by the thread that reads the
 * definitions.
 */
final class IndexDefinitions {
  private static final int FIRST_WITH_NULLS_NOT_DISTINCT = 15;
  private static final int FIRST_WITHOUT_OVERLAPS = 18;
  private static final int STATISTICS_PLACE = 1000;

  private static final String INDEXES =
      """
      SELECT i.indexrelid::int8, c.relname, pg_get_indexdef(i.indexrelid),
             format('CREATE %sINDEX %I ON %s%I.%I ', CASE WHEN i.indisunique THEN 'UNIQUE ' END,
                    c.relname, CASE WHEN t.relkind = 'p' THEN 'ONLY ' END, tn.nspname, t.relname),
             i.indisprimary, i.indisreplident, i.indisclustered,
             quote_ident(k.conname), pg_get_constraintdef(k.oid), k.contype, k.oid::int8,
             (SELECT string_agg(format('%s=%L', o.option_name, o.option_value), ', ')
              FROM pg_options_to_table(c.reloptions) o),
             obj_description(i.indexrelid, 'pg_class'), obj_description(k.oid, 'pg_constraint')
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace tn ON tn.oid = t.relnamespace
      LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid
        AND k.contype IN ('p', 'u', 'x')
      WHERE i.indrelid = ?::int8::oid AND i.indisvalid
      ORDER BY i.indisprimary DESC, c.relname
      """;

  private static final String BELOW =
      """
      SELECT n.nspname, t.relname, c.relname
      FROM pg_inherits h JOIN pg_index i ON i.indexrelid = h.inhrelid AND i.indisvalid
      JOIN pg_class c ON c.oid = h.inhrelid JOIN pg_class t ON t.oid = i.indrelid
      JOIN pg_namespace n ON n.oid = t.relnamespace
      WHERE h.inhparent = ?::int8::oid ORDER BY 1, 2
      """;

  private static final String STATISTICS =
      """
      SELECT s.oid::int8, s.stxname, pg_get_statisticsobjdef(s.oid),
             format('CREATE STATISTICS %I.%I ', n.nspname, s.stxname),
             format(' FROM %I.%I', tn.nspname, t.relname),
             obj_description(s.oid, 'pg_statistic_ext')
      FROM pg_statistic_ext s JOIN pg_namespace n ON n.oid = s.stxnamespace
      JOIN pg_class t ON t.oid = s.stxrelid JOIN pg_namespace tn ON tn.oid = t.relnamespace
      WHERE s.stxrelid = ?::int8::oid ORDER BY s.stxname
      """;

  private final CatalogRows catalog;
  private final UnaryOperator<TableId> targetOf;
  private final Prerequisites prerequisites;
  private final int targetMajorVersion;

  /**
   * @param prerequisites collects what the indexes need. It is created before them, since two
   *     parallel steps must not both create it
   */
  IndexDefinitions(
      CatalogRows catalog,
      UnaryOperator<TableId> targetOf,
      Prerequisites prerequisites,
      int targetMajorVersion) {
    this.catalog = catalog;
    this.targetOf = targetOf;
    this.prerequisites = prerequisites;
    this.targetMajorVersion = targetMajorVersion;
  }

  List<CompletionStep> of(SourceRelation relation) throws SQLException {
    List<CompletionStep> steps = new ArrayList<>();
    for (String[] index : catalog.of(INDEXES, relation.oid())) {
      steps.add(index(relation, index));
    }
    for (String[] statistics : catalog.of(STATISTICS, relation.oid())) {
      steps.add(statistics(relation, statistics));
    }
    return steps;
  }

  private CompletionStep index(SourceRelation relation, String[] index) throws SQLException {
    prerequisites.needFor("pg_class", Long.parseLong(index[0]));
    boolean constraint = index[7] != null;
    if (constraint) {
      prerequisites.needFor("pg_constraint", Long.parseLong(index[10]));
    }
    String name = relation.beside(index[1]);
    String thing = "index " + relation.target().schema() + "." + index[1];
    List<DefinitionStatement> statements = new ArrayList<>();
    // An index that exists but is not valid lacks rows; it is created again.
    statements.add(
        new DefinitionStatement(
            "unfinished " + thing,
            "SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_index WHERE indexrelid ="
                + " pg_catalog.to_regclass(%s) AND NOT indisvalid)".formatted(SqlLiteral.of(name)),
            "DROP INDEX " + name));
    statements.add(
        new DefinitionStatement(
            thing,
            "SELECT 1 WHERE pg_catalog.to_regclass(%s) IS NOT NULL".formatted(SqlLiteral.of(name)),
            constraint ? constraint(relation, index) : plain(relation, index)));
    for (String[] below : catalog.of(BELOW, Long.parseLong(index[0]))) {
      statements.add(
          DefinitionStatement.always(
              "partition of " + thing,
              "ALTER INDEX %s ATTACH PARTITION %s.%s"
                  .formatted(
                      name,
                      TableId.quote(targetOf.apply(new TableId(below[0], below[1])).schema()),
                      TableId.quote(below[2]))));
    }
    addMarks(relation, index, name, thing, statements);
    boolean key = index[4].equals("t") || index[5].equals("t");
    return CompletionStep.of(
            relation.root(),
            Stage.TABLE,
            // A key takes the table for itself. Begun beside another index, it would wait for that
            // one and let the next ones wait behind it.
            2 * relation.height() + (key ? 0 : 1),
            key ? Kind.KEY : Kind.INDEX,
            relation.target().schema() + "." + index[1],
            statements)
        .skippedFor(unable(index));
  }

  private void addMarks(
      SourceRelation relation,
      String[] index,
      String name,
      String thing,
      List<DefinitionStatement> statements) {
    if (index[6].equals("t")) {
      statements.add(
          DefinitionStatement.always(
              "order of table " + relation.target(),
              relation.only() + "CLUSTER ON " + TableId.quote(index[1])));
    }
    if (index[12] != null) {
      statements.add(RelationDetails.comment(thing, "INDEX " + name, index[12]));
    }
    if (index[13] != null) {
      statements.add(
          RelationDetails.comment(
              "constraint " + index[7],
              "CONSTRAINT %s ON %s".formatted(index[7], relation.target().quoted()),
              index[13]));
    }
  }

  private static String plain(SourceRelation relation, String[] index) {
    String prefix = index[3];
    if (!index[2].startsWith(prefix)) {
      throw new IllegalStateException(
          "BUG: \"%s\" does not begin with %s".formatted(index[2], prefix));
    }
    return "CREATE %sINDEX %s ON %s%s %s"
        .formatted(
            prefix.startsWith("CREATE UNIQUE") ? "UNIQUE " : "",
            TableId.quote(index[1]),
            relation.isPartitioned() ? "ONLY " : "",
            relation.target().quoted(),
            index[2].substring(prefix.length()));
  }

  /**
   * The server prints a constraint without the index's storage parameters, which belong in its
   * middle.
   */
  private static String constraint(SourceRelation relation, String[] index) {
    String definition = index[8];
    if (index[11] != null && !index[9].equals("x")) {
      int deferrable = definition.indexOf(" DEFERRABLE");
      int end = deferrable < 0 ? definition.length() : deferrable;
      definition =
          "%s WITH (%s)%s"
              .formatted(definition.substring(0, end), index[11], definition.substring(end));
    }
    return relation.only() + "ADD CONSTRAINT " + index[7] + " " + definition;
  }

  private Optional<String> unable(String[] index) {
    String definition = index[2] + " " + index[8];
    if (targetMajorVersion < FIRST_WITH_NULLS_NOT_DISTINCT
        && definition.contains("NULLS NOT DISTINCT")) {
      return Optional.of(needs("NULLS NOT DISTINCT", FIRST_WITH_NULLS_NOT_DISTINCT));
    }
    if (targetMajorVersion < FIRST_WITHOUT_OVERLAPS && definition.contains("WITHOUT OVERLAPS")) {
      return Optional.of(needs("WITHOUT OVERLAPS", FIRST_WITHOUT_OVERLAPS));
    }
    return Optional.empty();
  }

  private String needs(String what, int version) {
    return "%s needs PostgreSQL %d, the target is %d".formatted(what, version, targetMajorVersion);
  }

  private CompletionStep statistics(SourceRelation relation, String[] row) throws SQLException {
    prerequisites.needFor("pg_statistic_ext", Long.parseLong(row[0]));
    String name = relation.beside(row[1]);
    String thing = "statistics " + relation.target().schema() + "." + row[1];
    String definition = row[2];
    if (!definition.startsWith(row[3]) || !definition.endsWith(row[4])) {
      throw new IllegalStateException("BUG: \"%s\" is not as expected".formatted(definition));
    }
    List<DefinitionStatement> statements = new ArrayList<>();
    statements.add(
        new DefinitionStatement(
            thing,
            "SELECT 1 FROM pg_catalog.pg_statistic_ext WHERE stxrelid = %s AND stxname = %s"
                .formatted(SqlLiteral.regclass(relation.target()), SqlLiteral.of(row[1])),
            "CREATE STATISTICS %s %s FROM %s"
                .formatted(
                    name,
                    definition.substring(row[3].length(), definition.length() - row[4].length()),
                    relation.target().quoted())));
    if (row[5] != null) {
      statements.add(RelationDetails.comment(thing, "STATISTICS " + name, row[5]));
    }
    return CompletionStep.of(
        relation.root(),
        Stage.TABLE,
        STATISTICS_PLACE,
        Kind.STATISTICS,
        relation.target().schema() + "." + row[1],
        statements);
  }
}
