package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.AddedColumn;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.config.transformation.Consolidation;
import dev.sluice.connector.api.source.catalog.TypeCatalog;
import dev.sluice.connector.api.source.catalog.TypeTree;
import dev.sluice.engine.context.PostgresTargetCatalog;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the types and added columns of transformation rules by creating them in a temporary table
 * that is rolled back. Used by one thread, with its owner's connection.
 */
final class MappedTypeChecks {
  private static final TableId TRIED = new TableId("pg_temp", "sluice_check");

  private static final String EXPRESSION =
      """
      SELECT pg_get_expr(d.adbin, d.adrelid), format_type(a.atttypid, a.atttypmod)
      FROM pg_attribute a
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        AND a.attgenerated <> ''
      WHERE a.attrelid = to_regclass(?::text) AND a.attname = ?::text AND NOT a.attisdropped
      """;

  private static final String DEFAULT =
      """
      SELECT a.atttypid = 'text'::regtype
        AND pg_get_expr(d.adbin, d.adrelid) = format('%L::text', ?::text)
      FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = to_regclass(?::text) AND a.attname = ?::text AND NOT a.attisdropped
        AND a.attgenerated = ''
      """;

  /** A type that the task may have to create first. */
  private static final String UNKNOWN_TYPE = "42704";

  private final TargetConnection target;
  private final Collection<Problem> problems;

  /** An expression as the server prints it, and the type. */
  private record Computed(String expression, String type) {}

  /**
   * @param problems receives the problems that are found
   */
  MappedTypeChecks(TargetConnection target, Collection<Problem> problems) {
    this.target = target;
    this.problems = problems;
  }

  /**
   * @param there the source's columns by table
   * @param here the target's columns by table; empty if the task creates the tables
   */
  void check(
      Map<TableId, Map<String, TypeTree>> there,
      Map<TableId, Map<String, TypeTree>> here,
      Map<TableId, TableId> targets,
      TableMappings mappings,
      boolean created)
      throws SQLException {
    for (Map.Entry<TableId, Map<String, TypeTree>> table : there.entrySet()) {
      TableId source = table.getKey();
      TableId made = targets.get(source);
      Optional<Consolidation> constant = mappings.consolidation(source);
      if (constant.isPresent() && !created) {
        constant(made, constant.get());
      }
      for (Map.Entry<String, TypeTree> column : table.getValue().entrySet()) {
        Optional<String> type = mappings.columns().typeOf(source, column.getKey());
        if (type.isEmpty()) {
          continue;
        }
        if (created) {
          changed(source, column.getKey(), column.getValue(), type.get());
        } else {
          String name = mappings.columns().orSame(source, column.getKey());
          same(made, name, type.get(), here.getOrDefault(made, Map.of()).get(name));
        }
      }
      for (AddedColumn added : mappings.addedColumns(source)) {
        added(source, made, added, table.getValue(), mappings.columns(), created);
      }
    }
  }

  private void changed(TableId source, String column, TypeTree from, String type)
      throws SQLException {
    try (Statement statement = target.jdbc().createStatement()) {
      statement.execute("CREATE TEMP TABLE " + TRIED.name() + " (c " + type + ")");
      TypeCatalog types = PostgresTargetCatalog.types(target);
      TableId tried = new TableId(temporarySchema(), TRIED.name());
      TypeTree to = types.of(Set.of(tried)).get(tried).get("c");
      TypeFit.objection(from, to)
          .ifPresent(
              objection ->
                  problems.add(
                      new Problem(
                          "table-mappings, column " + source + "." + column,
                          "a rule changes its type from %s to %s: %s"
                              .formatted(from.printed(), to.printed(), objection),
                          "a type that keeps every value unchanged",
                          "Use a wider type, or remove the rule")));
    } finally {
      target.rollback();
    }
  }

  private void same(TableId made, String name, String type, TypeTree found) {
    if (found != null && !found.printed().equals(type)) {
      problems.add(
          new Problem(
              "target table " + made,
              "column %s is %s, but a rule changes its type to %s"
                  .formatted(name, found.printed(), type),
              "the rule's type, since the task does not create the table",
              "Run: ALTER TABLE %s ALTER COLUMN %s TYPE %s; or correct the rule"
                  .formatted(made.quoted(), TableId.quote(name), type)));
    }
  }

  private void constant(TableId made, Consolidation rule) throws SQLException {
    try (PreparedStatement statement = target.jdbc().prepareStatement(DEFAULT)) {
      statement.setString(1, rule.value());
      statement.setString(2, made.quoted());
      statement.setString(3, rule.column());
      try (ResultSet row = statement.executeQuery()) {
        if (row.next() && row.getBoolean(1)) {
          return;
        }
      }
    }
    problems.add(
        new Problem(
            "target table " + made,
            "has no column %s that is %s in each new row".formatted(rule.column(), rule.value()),
            "what rule %s says, since the task does not create the table".formatted(rule.rule()),
            "Run: ALTER TABLE %1$s ADD COLUMN %2$s %3$s NOT NULL DEFAULT %4$s CHECK (%2$s = %4$s); or, where the column is there: ALTER TABLE %1$s ALTER COLUMN %2$s SET DEFAULT %4$s"
                .formatted(
                    made.quoted(), TableId.quote(rule.column()), rule.type(), rule.literal())));
  }

  private void added(
      TableId source,
      TableId made,
      AddedColumn added,
      Map<String, TypeTree> columns,
      ColumnNames names,
      boolean created)
      throws SQLException {
    String expression = added.expression().sql(source, column -> names.orSame(source, column));
    String definition =
        "%s %s GENERATED ALWAYS AS (%s) STORED"
            .formatted(TableId.quote(added.name()), added.type(), expression);
    List<String> all = new ArrayList<>();
    for (String reference : added.expression().references()) {
      if (!columns.containsKey(reference)) {
        // Already reported, or itself a generated column.
        all.clear();
        break;
      }
      all.add(
          TableId.quote(names.orSame(source, reference))
              + " "
              + names.typeOf(source, reference).orElse(columns.get(reference).printed()));
    }
    if (all.size() < added.expression().references().size()) {
      return;
    }
    all.add(definition);
    try (Statement statement = target.jdbc().createStatement()) {
      statement.execute("CREATE TEMP TABLE " + TRIED.name() + " (" + String.join(", ", all) + ")");
      if (!created) {
        Optional<Computed> wanted = computed(TRIED, added.name());
        Optional<Computed> found = computed(made, added.name());
        if (!wanted.equals(found)) {
          problems.add(otherwise(made, added, definition, found));
        }
      }
    } catch (SQLException e) {
      if (!UNKNOWN_TYPE.equals(e.getSQLState())) {
        problems.add(refused(source, added, e));
      }
    } finally {
      target.rollback();
    }
  }

  private Optional<Computed> computed(TableId table, String column) throws SQLException {
    try (PreparedStatement statement = target.jdbc().prepareStatement(EXPRESSION)) {
      statement.setString(1, table.quoted());
      statement.setString(2, column);
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(new Computed(row.getString(1), row.getString(2)))
            : Optional.empty();
      }
    }
  }

  private String temporarySchema() throws SQLException {
    try (Statement statement = target.jdbc().createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT nspname FROM pg_namespace WHERE oid = pg_my_temp_schema()")) {
      row.next();
      return row.getString(1);
    }
  }

  private static Problem otherwise(
      TableId made, AddedColumn added, String definition, Optional<Computed> found) {
    return new Problem(
        "target table " + made,
        "rule %s adds column %s, but it %s"
            .formatted(
                added.rule(),
                added.name(),
                found
                    .map(
                        column ->
                            column.expression() == null
                                ? "is not a generated column there"
                                : "is %s, generated as %s"
                                    .formatted(column.type(), column.expression()))
                    .orElse("does not exist there")),
        "the generated column " + definition,
        "%sRun: ALTER TABLE %s ADD COLUMN %s;"
            .formatted(found.isPresent() ? "Drop it. " : "", made.quoted(), definition));
  }

  private static Problem refused(TableId source, AddedColumn added, SQLException e) {
    return new Problem(
        "table-mappings, table " + source,
        "rule %s computes column %s by %s: %s"
            .formatted(
                added.rule(),
                added.name(),
                added.expression(),
                e.getMessage().replaceAll("\\s*\\n\\s*", "; ")),
        "an expression of the data-type's type that depends only on the row",
        "Correct the expression or the data-type");
  }
}
