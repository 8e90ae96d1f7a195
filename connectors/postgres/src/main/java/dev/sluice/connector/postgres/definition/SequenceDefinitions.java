package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Collects the sequences that columns need on the target. Owned by the thread that reads the
 * definitions.
 */
final class SequenceDefinitions {

  private static final String OPTIONS =
      """
      format('START WITH %s INCREMENT BY %s MINVALUE %s MAXVALUE %s CACHE %s%s', q.seqstart,
             q.seqincrement, q.seqmin, q.seqmax, q.seqcache,
             CASE WHEN q.seqcycle THEN ' CYCLE' ELSE ' NO CYCLE' END)
      """;

  private static final String OF_IDENTITY =
      """
      SELECT d.refobjsubid, n.nspname, s.relname,
      """
          + OPTIONS
          + """
            FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
            JOIN pg_namespace n ON n.oid = s.relnamespace JOIN pg_sequence q ON q.seqrelid = s.oid
            WHERE d.refobjid = ?::int8::oid AND d.refclassid = 'pg_class'::regclass
              AND d.classid = 'pg_class'::regclass AND d.deptype = 'i'
            """;

  private static final String OF_DEFAULTS =
      """
      SELECT a.adnum, n.nspname, s.relname,
      """
          + OPTIONS
          + """
            , format_type(q.seqtypid, NULL), quote_literal(s.oid::regclass::text) || '::regclass',
            (SELECT quote_ident(c.attname)
             FROM pg_depend o JOIN pg_attribute c
               ON c.attrelid = o.refobjid AND c.attnum = o.refobjsubid
             WHERE o.classid = 'pg_class'::regclass AND o.objid = s.oid AND o.deptype = 'a'
               AND o.refclassid = 'pg_class'::regclass AND o.refobjid = a.adrelid)
            FROM pg_attrdef a
            JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid
              AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class s ON s.oid = d.refobjid AND s.relkind = 'S'
            JOIN pg_namespace n ON n.oid = s.relnamespace JOIN pg_sequence q ON q.seqrelid = s.oid
            WHERE a.adrelid = ?::int8::oid
            """;

  private final CatalogRows catalog;
  private final UnaryOperator<TableId> targetOf;
  private final Prerequisites prerequisites;
  private final Map<TableId, DefinitionStatement> statements = new LinkedHashMap<>();
  private final List<DefinitionStatement> owners = new ArrayList<>();

  SequenceDefinitions(
      CatalogRows catalog, UnaryOperator<TableId> targetOf, Prerequisites prerequisites) {
    this.catalog = catalog;
    this.targetOf = targetOf;
    this.prerequisites = prerequisites;
  }

  /** The options of a table's identity columns by column number, in parentheses. */
  Map<String, String> identities(long tableOid) throws SQLException {
    Map<String, String> options = new LinkedHashMap<>();
    for (String[] row : catalog.of(OF_IDENTITY, tableOid)) {
      TableId target = targetOf.apply(new TableId(row[1], row[2]));
      prerequisites.needSchema(target.schema());
      options.put(row[0], "(SEQUENCE NAME " + target.quoted() + " " + row[3].strip() + ")");
    }
    return options;
  }

  /**
   * Notes the sequences in the defaults of a table's columns.
   *
   * @return for each column number, a function that rewrites its default for the target
   */
  Map<String, UnaryOperator<String>> defaults(long tableOid, TableId targetTable)
      throws SQLException {
    Map<String, UnaryOperator<String>> rewrites = new LinkedHashMap<>();
    for (String[] row : catalog.of(OF_DEFAULTS, tableOid)) {
      TableId target = targetOf.apply(new TableId(row[1], row[2]));
      String named = row[5];
      rewrites.merge(
          row[0],
          expression -> expression.replace(named, SqlLiteral.regclass(target)),
          (first, second) -> expression -> second.apply(first.apply(expression)));
      prerequisites.needSchema(target.schema());
      statements.putIfAbsent(
          target,
          DefinitionStatement.always(
              "sequence " + target,
              "CREATE SEQUENCE IF NOT EXISTS %s AS %s %s"
                  .formatted(target.quoted(), row[4], row[3].strip())));
      Optional.ofNullable(row[6])
          .ifPresent(
              column ->
                  owners.add(
                      DefinitionStatement.always(
                          "owner of sequence " + target,
                          "ALTER SEQUENCE %s OWNED BY %s.%s"
                              .formatted(target.quoted(), targetTable.quoted(), column))));
    }
    return rewrites;
  }

  /** The statements that create the sequences; they run before those of the tables. */
  List<DefinitionStatement> statements() {
    return List.copyOf(statements.values());
  }

  /** The statements that set the owning columns; they run after those of the tables. */
  List<DefinitionStatement> owners() {
    return List.copyOf(owners);
  }
}
