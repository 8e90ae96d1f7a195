package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.PrimaryKey;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.TargetDefinitions.Found;
import dev.sluice.sink.target.TargetDefinitions.FoundColumn;
import dev.sluice.sink.target.TargetDefinitions.FoundKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The statements that alter a target table as the source table was altered. Source columns are
 * identified by number, so a rename is recognized. What the target already has is skipped. Computed
 * by the constructor; pure.
 */
final class TableAlteration {
  private final DdlStatements ddl;
  private final DefinitionChange change;
  private final TableId table;
  private final boolean plainCasts;
  private final boolean filled;
  private final NewTable made;
  private final Map<String, FoundColumn> columns = new LinkedHashMap<>();

  private final List<String> beforeTypes = new ArrayList<>();
  private final List<String> types = new ArrayList<>();
  private final List<String> afterTypes = new ArrayList<>();
  private final List<String> defaults = new ArrayList<>();
  private final List<String> notReplicated = new ArrayList<>();
  private List<String> targetKey;

  /**
   * @param plainCasts true if types were changed by the default cast only, without an expression
   * @param filled whether the target table has rows
   * @param made builds the statements for the table after the change
   * @throws SluiceException.Data if the target table cannot be altered to match
   */
  TableAlteration(
      DdlStatements ddl,
      DefinitionChange change,
      Found found,
      boolean plainCasts,
      boolean filled,
      NewTable made) {
    this.ddl = ddl;
    this.change = change;
    this.table = made.name();
    this.plainCasts = plainCasts;
    this.filled = filled;
    this.made = made;
    found.columns().forEach(column -> columns.put(column.name(), column));
    this.targetKey = found.key() == null ? List.of() : found.key().columns();
    TableDefinition before = change.before();
    TableDefinition after = change.after();
    if (!before.key().isEmpty()
        && targetKey.equals(before.keyNames())
        && mustReplaceKey(found.key(), before.key(), after.key())) {
      beforeTypes.add(ddl.dropConstraint(table, found.key().name()));
      targetKey = List.of();
    }
    drop(before, after);
    rename(before, after);
    for (ColumnDefinition column : after.columns()) {
      before
          .column(column.number())
          .ifPresentOrElse(earlier -> alter(earlier, column), () -> add(column));
    }
    if (!before.key().equals(after.key())
        && !after.key().isEmpty()
        && !targetKey.equals(after.keyNames())) {
      if (!targetKey.isEmpty()) {
        throw refused(
            "its primary key is (%s), the source's became (%s)"
                .formatted(String.join(", ", targetKey), String.join(", ", after.keyNames())));
      }
      afterTypes.add(made.primaryKey());
    }
    requireSameRows();
  }

  /** A statement may compute values of a column whose type stays: only the rewrite shows it. */
  private void requireSameRows() {
    if (change.rewritten() && !plainCasts && filled && !hasNewType()) {
      throw refused(
          "its rows were written again by a statement that may have changed values (USING, or a statement inside a function), which are not in the log");
    }
  }

  /**
   * Whether a column has a new type: the target does not have it, or somebody gave it the values.
   * One that has the same on the target, by a rule, is none.
   */
  private boolean hasNewType() {
    return change.after().columns().stream()
        .filter(column -> !column.filling().generated())
        .anyMatch(
            column ->
                change
                    .before()
                    .column(column.number())
                    .filter(before -> !before.type().equals(column.type()))
                    .isPresent());
  }

  /** Statements that drop constraints and columns, and rename columns. */
  List<String> beforeTypes() {
    return beforeTypes;
  }

  /** Statements that change types; they depend on settings of the session. */
  List<String> types() {
    return types;
  }

  /** Statements that add columns, NOT NULL and the primary key. */
  List<String> afterTypes() {
    return afterTypes;
  }

  /** Statements that set the defaults of new columns; the target may reject them. */
  List<String> defaults() {
    return defaults;
  }

  /** What else the statement changed and Sluice does not replicate, in words. */
  List<String> notReplicated() {
    return notReplicated;
  }

  boolean changesAnything() {
    return !beforeTypes.isEmpty() || !types.isEmpty() || !afterTypes.isEmpty();
  }

  /** Whether the target's primary key must be replaced; the target has the old key's columns. */
  private static boolean mustReplaceKey(FoundKey found, PrimaryKey before, PrimaryKey after) {
    return !before.columns().equals(after.columns())
        || before.checked() != after.checked() && found.checked() != after.checked();
  }

  /** Generated columns first: the target drops no column that another one is computed from. */
  private void drop(TableDefinition before, TableDefinition after) {
    before.columns().stream()
        .filter(column -> after.column(column.number()).isEmpty())
        .map(column -> columns.remove(column.name()))
        .filter(Objects::nonNull)
        .sorted(Comparator.comparing(FoundColumn::generated).reversed())
        .map(FoundColumn::name)
        .forEach(
            name -> {
              beforeTypes.add(ddl.dropColumn(table, name));
              targetKey = targetKey.contains(name) ? List.of() : targetKey;
            });
  }

  private void rename(TableDefinition before, TableDefinition after) {
    Map<String, String> renames = new LinkedHashMap<>();
    for (ColumnDefinition column : after.columns()) {
      before
          .column(column.number())
          .filter(earlier -> !earlier.name().equals(column.name()))
          .ifPresent(earlier -> renames.put(earlier.name(), column.name()));
    }
    Map<String, String> last = new LinkedHashMap<>();
    renames.forEach(
        (old, name) -> {
          boolean taken = columns.containsKey(name) && !renames.containsKey(name);
          if (columns.containsKey(old) && taken) {
            throw refused("column %s was renamed to %s, and both exist".formatted(old, name));
          }
          if (!columns.containsKey(old)) {
            if (!taken) {
              throw refused("column %s was renamed to %s, and neither exists".formatted(old, name));
            }
            return;
          }
          // Names may have been exchanged: then each column first gets a temporary name.
          boolean exchanged = columns.containsKey(name);
          String first = exchanged ? "sluice_renamed_" + last.size() : name;
          beforeTypes.add(ddl.renameColumn(table, old, first));
          if (exchanged) {
            last.put(first, name);
          }
        });
    last.forEach((first, name) -> beforeTypes.add(ddl.renameColumn(table, first, name)));
    Map<String, FoundColumn> renamed = new LinkedHashMap<>();
    columns.forEach((name, column) -> renamed.put(renames.getOrDefault(name, name), column));
    columns.clear();
    columns.putAll(renamed);
    targetKey = targetKey.stream().map(name -> renames.getOrDefault(name, name)).toList();
  }

  private void alter(ColumnDefinition before, ColumnDefinition after) {
    FoundColumn column = columns.get(after.name());
    if (column == null) {
      throw refused("it has no column " + after.name());
    }
    if (isComputedOtherwise(before, after)) {
      if (column.generated()) {
        beforeTypes.add(ddl.dropColumn(table, after.name()));
        afterTypes.addAll(ddl.addColumn(table, after, after.notNull(), null));
      }
      return;
    }
    boolean endsGeneration = before.filling().generated() && !after.filling().generated();
    if (endsGeneration && column.generated()) {
      beforeTypes.add(ddl.endGeneration(table, after.name()));
    }
    boolean typeChanged =
        !before.typeIdentity().equals(after.typeIdentity())
            || !Objects.equals(before.collation(), after.collation());
    if (typeChanged) {
      alterType(before, after, column);
    }
    if (before.notNull() != after.notNull() && column.notNull() != after.notNull()) {
      afterTypes.add(ddl.setNotNull(table, after.name(), after.notNull()));
    }
    boolean otherDefault = !Objects.equals(before.defaultValue(), after.defaultValue());
    if (before.filling() != after.filling() && !endsGeneration) {
      notReplicated.add("how column " + after.name() + " fills itself");
    } else if (otherDefault && !typeChanged && !endsGeneration) {
      notReplicated.add("the default of column " + after.name());
    }
  }

  /**
   * Whether a generated column has a new expression. Its text also changes with the names of
   * columns in it. A new one writes the rows again, except of a column that is computed when it is
   * read.
   */
  private boolean isComputedOtherwise(ColumnDefinition before, ColumnDefinition after) {
    boolean isShown =
        change.rewritten()
            || after.filling() == Filling.GENERATED_VIRTUAL && !change.renamesColumns();
    return before.filling().generated()
        && after.filling().generated()
        && !Objects.equals(before.defaultValue(), after.defaultValue())
        && isShown;
  }

  private void alterType(ColumnDefinition before, ColumnDefinition after, FoundColumn column) {
    if (column.type().equals(after.type())
        && Objects.equals(before.collation(), after.collation())) {
      return;
    }
    if (!column.type().equals(before.type()) && !column.type().equals(after.type())) {
      throw refused(
          "column %s is of type %s, the source's was %s and became %s"
              .formatted(after.name(), column.type(), before.type(), after.type()));
    }
    if (change.rewritten() && !plainCasts && filled && !after.filling().generated()) {
      throw refused(
          "the type of column %s became %s by a statement that may have changed values (USING, or a statement inside a function), which are not in the log"
              .formatted(after.name(), after.type()));
    }
    types.add(ddl.alterType(table, after));
  }

  private void add(ColumnDefinition after) {
    FoundColumn column = columns.get(after.name());
    if (column != null) {
      if (!column.type().equals(after.type())) {
        throw refused(
            "column %s is of type %s, the source's new column is of type %s"
                .formatted(after.name(), column.type(), after.type()));
      }
      return;
    }
    Optional<String> computed = after.computedForOlderRows(change.rewritten());
    if (filled && computed.isPresent()) {
      throw refused(
          "column %s was added with values that the source computed for each row (%s), which are not in the log"
              .formatted(after.name(), computed.get()));
    }
    afterTypes.addAll(made.sequence(after));
    boolean notNullAtOnce = after.notNull() && (!filled || after.existing() != null);
    afterTypes.addAll(ddl.addColumn(table, after, notNullAtOnce, after.existing()));
    if (after.notNull() && !notNullAtOnce && after.filling() == Filling.DEFAULT) {
      afterTypes.add(ddl.setNotNull(table, after.name(), true));
    }
    defaults.addAll(made.setDefault(after));
  }

  private SluiceException refused(String why) {
    return new SluiceException.Data(
        "target table %s cannot be altered like the source table: %s; load the table again"
            .formatted(table, why),
        null);
  }

  /** For people: the statements without the table's name. */
  @Override
  public String toString() {
    String prefix = "ALTER TABLE " + table.quoted() + " ";
    List<String> all = new ArrayList<>(beforeTypes);
    all.addAll(types);
    all.addAll(afterTypes);
    return all.stream()
        .map(statement -> statement.replace(prefix, ""))
        .collect(Collectors.joining("; "));
  }
}
