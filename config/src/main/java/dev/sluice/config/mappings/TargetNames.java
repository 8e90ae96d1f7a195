package dev.sluice.config.mappings;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.transformation.DefinedKey;
import dev.sluice.config.transformation.Transformations;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The names of tables on the target. Immutable, threadsafe.
 *
 * @param schema of all tables; empty: the schema by the transformations
 */
record TargetNames(Optional<String> schema, Transformations transformations) {
  /** All names stay the same. */
  static final TargetNames UNCHANGED =
      new TargetNames(Optional.empty(), new Transformations(List.of()));

  TableId of(TableId source) {
    return new TableId(
        schema.orElseGet(() -> transformations.schemaOf(source.schema())),
        transformations.tableOf(source));
  }

  /**
   * A problem for each source table that would have the same target table, or the same name of a
   * defined primary key, as another.
   */
  List<Problem> collisions(Collection<TableId> sources) {
    Map<TableId, TableId> firstOfTarget = new TreeMap<>();
    Map<TableId, TableId> firstOfKey = new TreeMap<>();
    List<Problem> problems = new ArrayList<>();
    for (TableId source : sources.stream().sorted().toList()) {
      TableId target = of(source);
      TableId first = firstOfTarget.putIfAbsent(target, source);
      if (first != null) {
        problems.add(sameTable(first, source, target));
      }
      Optional<DefinedKey> key = transformations.keyOf(source);
      if (key.isPresent()) {
        TableId other =
            firstOfKey.putIfAbsent(new TableId(target.schema(), key.get().name()), source);
        if (other != null) {
          problems.add(sameKeyName(other, source, key.get()));
        }
      }
    }
    return problems;
  }

  private static Problem sameTable(TableId first, TableId second, TableId target) {
    return new Problem(
        "table-mappings",
        "the tables " + first + " and " + second + " would both become " + target,
        "one target table for each source table",
        "Exclude one of them, or correct the transformation rules or TargetSchema");
  }

  private static Problem sameKeyName(TableId first, TableId second, DefinedKey key) {
    return new Problem(
        "table-mappings",
        "rule %s gives the primary keys of %s and %s one name, %s"
            .formatted(key.rule(), first, second, key.name()),
        "a name that is unique in its schema, as PostgreSQL requires",
        "Write a rule with a different name for each table");
  }
}
