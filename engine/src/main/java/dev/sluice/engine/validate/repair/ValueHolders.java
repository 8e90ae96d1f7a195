package dev.sluice.engine.validate.repair;

import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.RowDifference.Image;
import dev.sluice.engine.validate.session.TargetRows;
import dev.sluice.sink.target.TargetIndex;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Finds rows of the target with unique values that other rows should get, by the unique indexes.
 * Values of expressions, partial and exclusion indexes are not found. Used by one thread.
 *
 * @param indexes of the target's table
 * @param nameOnTarget of a column of the source
 */
record ValueHolders(
    ComparisonSession session, List<TargetIndex> indexes, UnaryOperator<String> nameOnTarget) {
  private static final Duration LIFE = Duration.ofSeconds(10);

  /**
   * The keys of the rows that have the values now.
   *
   * @param columns of the rows' values, by their names on the source
   * @param rows the rows that the target rejects
   */
  Set<RowKey> of(
      ComparisonPlan plan,
      SideTable onSource,
      List<String> columns,
      Collection<RowDifference> rows) {
    Map<String, String> sourceNames = new HashMap<>();
    columns.forEach(name -> sourceNames.put(nameOnTarget.apply(name), name));
    Set<RowKey> holders = new LinkedHashSet<>();
    for (TargetIndex index : indexes) {
      List<String> unique =
          index.uniqueKey().stream().map(sourceNames::get).collect(Collectors.toList());
      if (!unique.isEmpty() && !unique.contains(null)) {
        List<RowKey> values =
            rows.stream()
                .flatMap(row -> row.source().stream())
                .map(image -> keyOf(unique, columns, image))
                .filter(value -> value.values().stream().noneMatch(Objects::isNull))
                .distinct()
                .toList();
        holders.addAll(
            having(
                ComparisonPlan.touched(plan.table(), unique, List.of()),
                onSource,
                values,
                plan.key()));
      }
    }
    return holders;
  }

  private List<RowKey> having(
      ComparisonPlan byValue, SideTable onSource, List<RowKey> values, List<String> key) {
    if (values.isEmpty()) {
      return List.of();
    }
    try (TargetRows rows = session.targetRows(byValue.withWholeValues(), onSource, LIFE)) {
      return rows.read(values, Lookup.BY_INDEX).values().stream()
          .flatMap(List::stream)
          .map(image -> keyOf(key, rows.columns(), image))
          .toList();
    }
  }

  private static RowKey keyOf(List<String> key, List<String> columns, Image image) {
    return new RowKey(key.stream().map(name -> image.values().get(columns.indexOf(name))).toList());
  }
}
