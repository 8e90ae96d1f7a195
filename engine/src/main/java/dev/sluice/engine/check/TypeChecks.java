package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.catalog.TypeCatalog;
import dev.sluice.connector.api.source.catalog.TypeServer;
import dev.sluice.connector.api.source.catalog.TypeTree;
import dev.sluice.connector.api.source.catalog.TypeTree.Base;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.engine.context.PostgresTargetCatalog;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks that the values of each column will be the same on the target. Used by one thread, once.
 */
public final class TypeChecks {

  /** Types whose input function rejects every value: statistics, and internal types of indexes. */
  private static final Set<String> WITHOUT_INPUT =
      Set.of(
          "gbtreekey16",
          "gbtreekey2",
          "gbtreekey32",
          "gbtreekey4",
          "gbtreekey8",
          "gbtreekey_var",
          "ghstore",
          "gtrgm",
          "gtsvector",
          "intbig_gkey",
          "ltree_gist",
          "pg_brin_bloom_summary",
          "pg_brin_minmax_multi_summary",
          "pg_dependencies",
          "pg_mcv_list",
          "pg_ndistinct",
          "pg_node_tree");

  private static final int FIRST_WITH_ESCAPED_CHAR = 16;
  private static final int FIRST_WITH_INFINITE_INTERVAL = 17;

  private final TypeServer source;
  private final TypeServer target;
  private final CreatableTypes creatable;
  private final boolean created;
  private final Set<Problem> problems = new LinkedHashSet<>();
  private final Set<String> notes = new LinkedHashSet<>();

  private TypeChecks(
      TypeServer source, TypeServer target, TypeCatalog targetTypes, boolean created) {
    this.source = source;
    this.target = target;
    this.creatable = new CreatableTypes(source, target, targetTypes, problems);
    this.created = created;
  }

  /**
   * Compares the tables' columns.
   *
   * @param targets target tables by source table
   * @param mappings names and types of columns on the target
   * @param created whether the task creates the tables on the target; else they exist
   * @throws dev.sluice.config.document.SluiceException if source or target does not answer
   */
  public static Findings check(
      SourceReader source,
      TargetServer target,
      Map<TableId, TableId> targets,
      TableMappings mappings,
      boolean created) {
    try (TypeCatalog from = source.types();
        TargetConnection to = target.connect()) {
      TypeCatalog targetTypes = PostgresTargetCatalog.types(to);
      TypeChecks checks = new TypeChecks(from.server(), targetTypes.server(), targetTypes, created);
      Map<TableId, Map<String, TypeTree>> there = from.of(targets.keySet());
      Map<TableId, Map<String, TypeTree>> here =
          created ? Map.of() : targetTypes.of(new HashSet<>(targets.values()));
      for (Map.Entry<TableId, Map<String, TypeTree>> table : there.entrySet()) {
        TableId targetTable = targets.get(table.getKey());
        Map<String, TypeTree> columns = here.getOrDefault(targetTable, Map.of());
        for (Map.Entry<String, TypeTree> column : table.getValue().entrySet()) {
          Optional<String> name = mappings.columns().of(table.getKey(), column.getKey());
          if (name.isPresent()) {
            checks.column(
                new ComparedColumn(table.getKey(), targetTable, column.getKey(), name.get()),
                column.getValue(),
                Optional.ofNullable(columns.get(name.get())));
          }
        }
      }
      if (mappings.mapsColumns()) {
        new MappedTypeChecks(to, checks.problems).check(there, here, targets, mappings, created);
      }
      return new Findings(List.copyOf(checks.problems), List.copyOf(checks.notes));
    } catch (SQLException e) {
      throw target.errors().classify("compare the columns' types", e);
    }
  }

  private void column(ComparedColumn place, TypeTree type, Optional<TypeTree> onTarget) {
    for (TypeTree part : type.all().toList()) {
      if (part instanceof Base base) {
        carried(place, base);
      }
      if (created) {
        creatable.check(place, part);
      }
    }
    onTarget.ifPresent(found -> fits(place, type, found));
  }

  private void fits(ComparedColumn place, TypeTree type, TypeTree found) {
    TypeFit.objection(type, found)
        .ifPresent(
            objection ->
                problems.add(
                    new Problem(
                        "target table " + place.target(),
                        "column %s is %s, but %s on the source: %s"
                            .formatted(place.name(), found.printed(), type.printed(), objection),
                        "a type that keeps every value unchanged",
                        "Run: ALTER TABLE %s ALTER COLUMN %s TYPE %s; or correct the type on the target"
                            .formatted(
                                place.target().quoted(),
                                TableId.quote(place.name()),
                                type.printed()))));
  }

  /** Checks that the values' text form has the same meaning on both servers. */
  private void carried(ComparedColumn place, Base type) {
    if (WITHOUT_INPUT.contains(type.name().name())) {
      problem(
          place,
          "is of type " + type.printed() + ", which has no input on any server",
          "a type whose values can be written");
    }
    if (!type.builtIn()) {
      return;
    }
    int older = Math.min(source.majorVersion(), target.majorVersion());
    switch (type.name().name()) {
      case "name" -> {
        if (!source.encoding().equals("UTF8")) {
          problem(
              place,
              "is of type name in a database of encoding "
                  + source.encoding()
                  + ": in UTF8 a value may be too long for the type and would be cut",
              "text");
        }
      }
      case "char" -> {
        if (older < FIRST_WITH_ESCAPED_CHAR) {
          problem(
              place,
              "is of type \"char\", and PostgreSQL "
                  + older
                  + " prints bytes above 127 unchanged, which is not valid text",
              "PostgreSQL 16 or newer on both sides, or another type");
        }
      }
      case "money" -> {
        if (source.moneyUnit() != target.moneyUnit()) {
          problems.add(
              new Problem(
                  place.thing(),
                  "is of type money, whose 1 is stored as %d on the source and as %d on the target"
                      .formatted(source.moneyUnit(), target.moneyUnit()),
                  "an lc_monetary with the same number of decimal places on both sides",
                  "On the target run: ALTER DATABASE … SET lc_monetary = the source's;"));
        }
      }
      case "interval" -> {
        if (source.majorVersion() >= FIRST_WITH_INFINITE_INTERVAL
            && target.majorVersion() < FIRST_WITH_INFINITE_INTERVAL) {
          note(
              place,
              "the target's PostgreSQL %d has no infinite interval; such a value stops the task"
                  .formatted(target.majorVersion()));
        }
      }
      case "oid" -> largeObjects(place);
      case "aclitem" -> names(place, type);
      default -> {
        if (type.name().name().startsWith("reg")) {
          names(place, type);
        }
      }
    }
  }

  private void names(ComparedColumn place, Base type) {
    note(
        place,
        "values of type "
            + type.printed()
            + " are replicated by name; a name that the target does not have stops the task");
  }

  private void largeObjects(ComparedColumn place) {
    if (source.largeObjects()) {
      note(place, "numbers of large objects are replicated, the large objects themselves are not");
    }
  }

  private void problem(ComparedColumn place, String found, String expected) {
    problems.add(place.problem(found, expected));
  }

  private void note(ComparedColumn place, String text) {
    notes.add(place.thing() + ": " + text);
  }

  /**
   * The result of the check. Immutable.
   *
   * @param problems columns whose values would change
   * @param notes columns with possible values that would stop the task
   */
  public record Findings(List<Problem> problems, List<String> notes) {}
}
