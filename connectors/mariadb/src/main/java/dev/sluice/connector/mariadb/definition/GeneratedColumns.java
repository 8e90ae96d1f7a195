package dev.sluice.connector.mariadb.definition;

import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Decides which generated columns of a table are generated in PostgreSQL as well, since both
 * servers compute the same value. The others become ordinary columns. Immutable.
 *
 * @param expressions in PostgreSQL's SQL, by column
 * @param reasons why a column becomes an ordinary one, by column
 */
public record GeneratedColumns(Map<String, String> expressions, Map<String, String> reasons) {
  /** Character sets whose texts are of the characters of Unicode, one by one. */
  private static final Set<String> CHARACTER_SETS = Set.of("ascii", "latin1", "utf8mb3", "utf8mb4");

  private static final String ALL_CHARACTERS = "utf8mb4";

  public GeneratedColumns {
    expressions = Map.copyOf(expressions);
    reasons = Map.copyOf(reasons);
  }

  /** The generated columns of a table. */
  public static GeneratedColumns of(MariadbTable table) {
    Map<String, String> expressions = new LinkedHashMap<>();
    Map<String, String> reasons = new LinkedHashMap<>();
    for (MariadbColumn column : table.columns()) {
      if (column.isComputed()) {
        try {
          expressions.put(
              column.name(),
              expression(column, new ComputedColumns(table, expressions.keySet()), table));
        } catch (NotComputed e) {
          reasons.put(column.name(), e.getMessage());
        }
      }
    }
    return new GeneratedColumns(expressions, reasons);
  }

  /** The same, without columns that must become ordinary ones. */
  GeneratedColumns without(Predicate<String> ordinary) {
    Map<String, String> left = new LinkedHashMap<>(expressions);
    left.keySet().removeIf(ordinary);
    return new GeneratedColumns(left, reasons);
  }

  private static String expression(
      MariadbColumn column, ComputedColumns columns, MariadbTable table) throws NotComputed {
    if (table.keyColumns().contains(column.name())) {
      throw new NotComputed("it belongs to the key, which identifies the rows of changes");
    }
    Computed computed = GeneratedExpression.read(column.generation().orElseThrow(), columns);
    if (computed.nullable() && !column.nullable()) {
      throw new NotComputed("it is NOT NULL, and its expression may be NULL");
    }
    return computed instanceof ComputedText text ? stored(column, text) : stored(column, computed);
  }

  private static String stored(MariadbColumn column, Computed computed) throws NotComputed {
    ExactNumberRange range =
        ComputedColumns.numbers(column)
            .orElseThrow(
                () ->
                    new NotComputed(
                        "a number of its expression is stored as " + column.columnType()));
    ComputedNumber number =
        computed instanceof ComputedTruth truth ? truth.asNumber() : (ComputedNumber) computed;
    return number.storedAs(column.mappedType(), range);
  }

  private static String stored(MariadbColumn column, ComputedText text) throws NotComputed {
    Optional<String> set = column.characterSet();
    if (!column.dataType().equals("varchar") || set.isEmpty()) {
      throw new NotComputed("a text of its expression is stored as " + column.columnType());
    }
    if (text.characters() > column.declared().length()) {
      throw new NotComputed(
          "its text may have %d characters, more than %s"
              .formatted(text.characters(), column.columnType()));
    }
    boolean keepsAll =
        set.get().equals(ALL_CHARACTERS) || Set.of(set.get()).containsAll(text.characterSets());
    if (!keepsAll || !CHARACTER_SETS.containsAll(text.characterSets())) {
      throw new NotComputed(
          "its text is of the character sets %s, and the column of %s"
              .formatted(text.characterSets(), set.get()));
    }
    return text.sql();
  }
}
