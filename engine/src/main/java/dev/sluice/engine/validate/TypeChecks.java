package dev.sluice.engine.validate;

import dev.sluice.config.Problem;
import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.load.SourceErrors;
import dev.sluice.connector.postgres.load.SourceServer;
import dev.sluice.engine.validate.ColumnType.Base;
import dev.sluice.engine.validate.ColumnType.Composite;
import dev.sluice.engine.validate.ColumnType.Domain;
import dev.sluice.engine.validate.ColumnType.Enumeration;
import dev.sluice.engine.validate.ColumnType.Range;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Looks whether each column's values will be the same on the target, before the first one is
 * carried. Used by one thread, once.
 */
public final class TypeChecks {

  /** Types whose input refuses every value: statistics, and inner forms of indexes. */
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
  private final ColumnTypes targetTypes;
  private final boolean created;
  private final Set<Problem> problems = new LinkedHashSet<>();
  private final Set<String> notes = new LinkedHashSet<>();
  private final Set<ColumnType> comparedByName = new HashSet<>();

  private TypeChecks(
      TypeServer source, TypeServer target, ColumnTypes targetTypes, boolean created) {
    this.source = source;
    this.target = target;
    this.targetTypes = targetTypes;
    this.created = created;
  }

  /**
   * Compares the tables' columns.
   *
   * @param targets by source table the target's
   * @param created whether the task creates the tables on the target; else they are there
   * @throws dev.sluice.config.SluiceException where a side cannot be reached or asked
   */
  public static Findings check(
      SourceServer source, TargetServer target, Map<TableId, TableId> targets, boolean created) {
    try (Connection from = source.connect();
        TargetConnection to = target.connect()) {
      ColumnTypes targetTypes = new ColumnTypes(to.jdbc());
      TypeChecks checks =
          new TypeChecks(TypeServer.of(from), TypeServer.of(to.jdbc()), targetTypes, created);
      Map<TableId, Map<String, ColumnType>> there = new ColumnTypes(from).of(targets.keySet());
      Map<TableId, Map<String, ColumnType>> here =
          created ? Map.of() : targetTypes.of(new HashSet<>(targets.values()));
      for (Map.Entry<TableId, Map<String, ColumnType>> table : there.entrySet()) {
        TableId targetTable = targets.get(table.getKey());
        Map<String, ColumnType> columns = here.getOrDefault(targetTable, Map.of());
        for (Map.Entry<String, ColumnType> column : table.getValue().entrySet()) {
          checks.column(
              new Place(table.getKey(), targetTable, column.getKey()),
              column.getValue(),
              Optional.ofNullable(columns.get(column.getKey())));
        }
      }
      return new Findings(List.copyOf(checks.problems), List.copyOf(checks.notes));
    } catch (SQLException e) {
      throw SourceErrors.classify("compare the columns' types", e);
    }
  }

  /** A column and where it goes. */
  private record Place(TableId table, TableId target, String column) {
    String thing() {
      return "column " + table + "." + column;
    }

    String leaveOut() {
      return "Change the column's type on the source, or exclude the table by a selection rule";
    }
  }

  private void column(Place place, ColumnType type, Optional<ColumnType> onTarget)
      throws SQLException {
    for (ColumnType part : type.all().toList()) {
      if (part instanceof Base base) {
        carried(place, base);
      }
      if (created) {
        creatable(place, part);
      }
    }
    onTarget.ifPresent(found -> fits(place, type, found));
  }

  private void fits(Place place, ColumnType type, ColumnType found) {
    TypeFit.objection(type, found)
        .ifPresent(
            objection ->
                problems.add(
                    new Problem(
                        "target table " + place.target(),
                        "column %s is %s, on the source %s: %s"
                            .formatted(place.column(), found.printed(), type.printed(), objection),
                        "a type that keeps every value as it is",
                        "Run: ALTER TABLE %s ALTER COLUMN %s TYPE %s; or mend the type on the target"
                            .formatted(
                                place.target().quoted(),
                                TableId.quote(place.column()),
                                type.printed()))));
  }

  /** Whether the values' text means the same on both servers. */
  private void carried(Place place, Base type) {
    if (WITHOUT_INPUT.contains(type.name().name())) {
      problem(
          place,
          "is of type " + type.printed() + ", which no server takes as input",
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
                  + ": in UTF8 a value may be longer than the type holds, and would be cut",
              "text");
        }
      }
      case "char" -> {
        if (older < FIRST_WITH_ESCAPED_CHAR) {
          problem(
              place,
              "is of type \"char\", and PostgreSQL "
                  + older
                  + " prints bytes above 127 as they are, which is no text",
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
                  "an lc_monetary with as many digits of fraction on both sides",
                  "On the target run: ALTER DATABASE … SET lc_monetary = the source's;"));
        }
      }
      case "interval" -> {
        if (source.majorVersion() >= FIRST_WITH_INFINITE_INTERVAL
            && target.majorVersion() < FIRST_WITH_INFINITE_INTERVAL) {
          note(
              place,
              "the target's PostgreSQL %d knows no infinite interval; one stops the task"
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

  private void names(Place place, Base type) {
    note(
        place,
        "values of type "
            + type.printed()
            + " are carried by name; one that the target does not know stops the task");
  }

  private void largeObjects(Place place) {
    if (source.largeObjects()) {
      note(
          place,
          "the number of an object is carried as it is; large objects themselves are not carried");
    }
  }

  /** Whether the task can make on the target what the column's type needs. */
  private void creatable(Place place, ColumnType type) throws SQLException {
    if (type instanceof Base base) {
      if (base.extension().isPresent()) {
        extension(place, base.extension().get());
      } else if (targetTypes.named(base.name()).isEmpty()) {
        problem(
            place,
            "is of type " + type.printed() + ", which the target does not have",
            "a type that the task can create");
      }
    } else if (type instanceof Domain domain) {
      if (domain.extension().isPresent()) {
        extension(place, domain.extension().get());
        return;
      }
      if (domain.constraints().stream().anyMatch(check -> check.endsWith(" NOT VALID"))) {
        problems.add(
            new Problem(
                place.thing(),
                "domain %s has a constraint that is not validated: %s"
                    .formatted(domain.printed(), domain.constraints()),
                "one that every value fulfils, since the target demands it of every value",
                "Run on the source: ALTER DOMAIN %s VALIDATE CONSTRAINT …; or drop it"
                    .formatted(domain.printed())));
      }
      sameByName(place, domain, domain.name());
    } else if (type instanceof Enumeration labels) {
      sameByName(place, labels, labels.name());
    } else if (type instanceof Composite composite) {
      if (composite.rowOfTable()) {
        problem(
            place,
            "is of type " + type.printed() + ", the row type of a table",
            "a type that can be made without the table");
      } else {
        sameByName(place, composite, composite.name());
      }
    } else if (type instanceof Range range) {
      sameByName(place, range, range.name());
      if (range.canonical() && !range.builtIn() && targetTypes.named(range.name()).isEmpty()) {
        problem(
            place,
            "is of type " + type.printed() + ", a range with a canonical function, which is code",
            "a type that can be made from its definition");
      }
    }
  }

  /** A type that the target already has is used as it is there. */
  private void sameByName(Place place, ColumnType type, TableId name) throws SQLException {
    if (!comparedByName.add(type)) {
      return;
    }
    Optional<ColumnType> found = targetTypes.named(name);
    if (found.isPresent()) {
      TypeFit.objection(type, found.get())
          .ifPresent(
              objection ->
                  problems.add(
                      new Problem(
                          "type " + type.printed() + " of the target, for " + place.thing(),
                          "it is another than the source's: " + objection,
                          "the same type, or none, which the task creates",
                          "Change it to be as on the source, or drop it on the target")));
    }
  }

  private void extension(Place place, String name) {
    String needed = source.extensions().get(name);
    String there = target.extensions().get(name);
    if (there == null && !target.creatable().getOrDefault(name, false)) {
      problems.add(
          new Problem(
              place.thing(),
              target.creatable().containsKey(name)
                  ? "its type is of extension " + name + ", which this user may not install"
                  : "its type is of extension " + name + ", which the target's server lacks",
              "extension " + name + " on the target",
              "Install it on the target's server, and as a superuser run: CREATE EXTENSION %s SCHEMA %s;"
                  .formatted(TableId.quote(name), TableId.quote(needed))));
    } else if (there != null && !there.equals(needed)) {
      problems.add(
          new Problem(
              place.thing(),
              "its type is of extension %s, which is in schema %s on the target, and in %s on the source"
                  .formatted(name, there, needed),
              "the same schema, since the task creates the column with it",
              "Run on the target: ALTER EXTENSION %s SET SCHEMA %s; or create the tables by hand"
                  .formatted(TableId.quote(name), TableId.quote(needed))));
    }
  }

  private void problem(Place place, String met, String expected) {
    problems.add(new Problem(place.thing(), met, expected, place.leaveOut()));
  }

  private void note(Place place, String text) {
    notes.add(place.thing() + ": " + text);
  }

  /**
   * What was found. Immutable.
   *
   * @param problems values that would not be carried as they are
   * @param notes what cannot be known before the values come, and stops the task then
   */
  public record Findings(List<Problem> problems, List<String> notes) {}
}
