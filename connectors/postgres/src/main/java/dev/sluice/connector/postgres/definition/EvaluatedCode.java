package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.postgres.server.SourceErrors;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the functions that a target would evaluate with the loader's rights while tables of the
 * source are created and loaded. The table's owner on the source chose them, so they need consent.
 * A function of a user counts even if only a default uses it: the load does not evaluate defaults,
 * but a later definition could use the function. Trigger functions are created after the last row.
 * They count only if they are SECURITY DEFINER: on the target they belong to the loader, and run
 * with its rights. Stateless.
 */
public final class EvaluatedCode {
  /** The task file's key for the consent. */
  public static final String CONSENT = "run-source-code: true";

  private static final int MOST_NAMED = 5;

  /*
   * A type includes the checks of its domains, at any depth. Statistics on expressions and multiranges exist since
   * PostgreSQL 14; older catalogs do not have the columns.
   */
  private static final String FUNCTIONS =
      """
      WITH RECURSIVE relations (oid) AS (
        SELECT to_regclass(name)::oid FROM unnest(?::text[]) name
        UNION
        SELECT i.inhrelid FROM relations r JOIN pg_inherits i ON i.inhparent = r.oid
        JOIN pg_class c ON c.oid = i.inhrelid AND c.relispartition
      ), expressions (relation, part, tree, stored) AS (
        SELECT a.attrelid,
               CASE a.attgenerated WHEN '' THEN 'default of column ' ELSE 'generated column ' END
                 || quote_ident(a.attname), d.adbin::text, a.attgenerated = ''
        FROM relations r JOIN pg_attribute a ON a.attrelid = r.oid
        JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        UNION ALL
        SELECT k.conrelid, 'constraint ' || quote_ident(k.conname), k.conbin::text, false
        FROM relations r JOIN pg_constraint k ON k.conrelid = r.oid AND k.contype = 'c'
        UNION ALL
        SELECT x.indrelid, 'index ' || quote_ident(c.relname), concat(x.indexprs, x.indpred), false
        FROM relations r JOIN pg_index x ON x.indrelid = r.oid JOIN pg_class c ON c.oid = x.indexrelid
        UNION ALL
        SELECT p.partrelid, 'the partition key', p.partexprs::text, false
        FROM relations r JOIN pg_partitioned_table p ON p.partrelid = r.oid
        UNION ALL
        SELECT s.stxrelid, 'statistics ' || quote_ident(s.stxname), to_jsonb(s) ->> 'stxexprs', false
        FROM relations r JOIN pg_statistic_ext s ON s.stxrelid = r.oid
      ), types (relation, part, type) AS (
        SELECT a.attrelid, 'column ' || quote_ident(a.attname), a.atttypid
        FROM relations r JOIN pg_attribute a ON a.attrelid = r.oid
        WHERE a.attnum > 0 AND NOT a.attisdropped AND a.atttypid >= 16384
        UNION
        SELECT e.relation, e.part, m[1]::oid
        FROM expressions e, regexp_matches(e.tree, ':\\w*type(?:id)? ([0-9]+)', 'gi') m
        WHERE m[1]::oid >= 16384::oid
        UNION
        SELECT u.relation, u.part, inner_type.oid
        FROM types u JOIN pg_type t ON t.oid = u.type
        CROSS JOIN LATERAL (
          SELECT t.typelem UNION ALL SELECT t.typbasetype
          UNION ALL
          SELECT a.atttypid FROM pg_attribute a
          WHERE t.typrelid <> 0 AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
          UNION ALL
          SELECT g.rngsubtype FROM pg_range g WHERE g.rngtypid = t.oid
          UNION ALL
          SELECT g.rngtypid FROM pg_range g WHERE to_jsonb(g) ->> 'rngmultitypid' = t.oid::text
          UNION ALL
          SELECT m[1]::oid
          FROM pg_constraint k, regexp_matches(k.conbin::text, ':\\w*type(?:id)? ([0-9]+)', 'gi') m
          WHERE k.contypid = t.oid
        ) inner_type (oid)
        WHERE inner_type.oid >= 16384
      ), uses (relation, part, function, stored) AS (
        SELECT e.relation, e.part, f.oid, e.stored FROM expressions e CROSS JOIN LATERAL (%1$s) f (oid)
        UNION
        SELECT u.relation, u.part || ', by domain ' || u.type::regtype, f.oid, false
        FROM types u JOIN pg_constraint k ON k.contypid = u.type CROSS JOIN LATERAL (%2$s) f (oid)
        UNION
        SELECT u.relation, u.part || ', by the default of domain ' || u.type::regtype, f.oid, true
        FROM types u JOIN pg_type t ON t.oid = u.type CROSS JOIN LATERAL (%3$s) f (oid)
        UNION
        SELECT u.relation, u.part || ', by range ' || u.type::regtype, f.oid, false
        FROM types u JOIN pg_range g ON g.rngtypid = u.type
        CROSS JOIN LATERAL (VALUES (g.rngsubdiff::oid), (g.rngcanonical::oid)) f (oid)
        UNION
        SELECT k.conrelid, 'constraint ' || quote_ident(k.conname), o.oprcode::oid, false
        FROM relations r JOIN pg_constraint k ON k.conrelid = r.oid
        CROSS JOIN LATERAL unnest(k.conexclop) excluding (oid)
        JOIN pg_operator o ON o.oid = excluding.oid
        UNION
        SELECT g.tgrelid, 'trigger ' || quote_ident(g.tgname) || ' (it is SECURITY DEFINER)', p.oid, true
        FROM relations r JOIN pg_trigger g ON g.tgrelid = r.oid AND NOT g.tgisinternal
        JOIN pg_proc p ON p.oid = g.tgfoid WHERE p.prosecdef
      )
      SELECT p.oid::regprocedure::text, u.part || ' of ' || n.nspname || '.' || c.relname
      FROM uses u JOIN pg_proc p ON p.oid = u.function
      JOIN pg_class c ON c.oid = u.relation JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE CASE WHEN u.stored THEN %5$s ELSE NOT %4$s END
      ORDER BY 1, n.nspname, c.relname, 2
      """
          .formatted(
              SafeFunctions.in("e.tree"),
              SafeFunctions.in("k.conbin::text"),
              SafeFunctions.in("t.typdefaultbin::text"),
              SafeFunctions.IS_SAFE,
              SafeFunctions.IS_OF_USERS);

  private EvaluatedCode() {}

  /**
   * One problem for each function that needs consent.
   *
   * @param tables names on the source; partitions are included with their root
   */
  public static List<Problem> problems(SourceServer source, Collection<TableId> tables) {
    try (Connection connection = source.connect()) {
      return problems(connection, tables);
    } catch (SQLException e) {
      throw SourceErrors.classify("leave " + source, e);
    }
  }

  /** The same over the given connection. */
  static List<Problem> problems(Connection connection, Collection<TableId> tables) {
    Map<String, List<String>> uses = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(FUNCTIONS)) {
      statement.setArray(
          1,
          connection.createArrayOf(
              "text", tables.stream().map(TableId::quoted).toArray(String[]::new)));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          uses.computeIfAbsent(rows.getString(1), function -> new ArrayList<>())
              .add(rows.getString(2));
        }
      }
    } catch (SQLException e) {
      throw SourceErrors.classify("read the code in the definitions of the tables", e);
    }
    return uses.entrySet().stream().map(use -> problem(use.getKey(), use.getValue())).toList();
  }

  /**
   * Requires that no function needs consent.
   *
   * @throws SluiceException.Fatal naming every function that needs it
   */
  static void requireNone(Connection connection, Collection<TableId> tables) {
    List<Problem> problems = problems(connection, tables);
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  private static Problem problem(String function, List<String> uses) {
    int named = Math.min(uses.size(), MOST_NAMED);
    String list = String.join("; ", uses.subList(0, named));
    return new Problem(
        "source function " + function,
        "with TargetTablePrepMode DROP_AND_CREATE the load would bring it to the target,"
            + " to run there with the rights of the task's user: "
            + list
            + (uses.size() > named ? "; and " + (uses.size() - named) + " more" : ""),
        "built-in immutable functions, or your consent",
        "Review the function, since who owns the table on the source chose it, and write "
            + CONSENT
            + " into the task file; or make the tables yourself and use DO_NOTHING or"
            + " TRUNCATE_BEFORE_LOAD");
  }
}
