package dev.sluice.sink.apply.plan;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.DefinitionChange;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The last applied row schema of each source table, including those from earlier daemons. Owned by
 * the apply thread.
 */
final class RowShapes {
  private final Map<TableId, RowSchema> applied = new HashMap<>();
  private final Map<TableId, Optional<RowSchema>> inTransaction = new HashMap<>();
  private Map<TableId, Optional<RowSchema>> marked = Map.of();

  /** Replaces all schemas by those stored on the target, at the begin of a transaction. */
  void begin(Map<TableId, RowSchema> onTarget) {
    applied.clear();
    applied.putAll(onTarget);
  }

  /** The schemas that the open transaction changes on the target; mostly none. */
  Map<TableId, Optional<RowSchema>> changed() {
    Map<TableId, Optional<RowSchema>> changed = new HashMap<>();
    inTransaction.forEach(
        (table, shape) -> {
          if (!shape.equals(Optional.ofNullable(applied.get(table)))) {
            changed.put(table, shape);
          }
        });
    return changed;
  }

  /** The last schema of the table; empty if none is known. */
  Optional<RowSchema> last(TableId source) {
    return inTransaction.getOrDefault(source, Optional.ofNullable(applied.get(source)));
  }

  /**
   * Another source table with the same target table; empty if none is known.
   *
   * @param targetOf maps a source table to its target table
   */
  Optional<TableId> besides(TableId source, UnaryOperator<TableId> targetOf) {
    TableId target = targetOf.apply(source);
    return Stream.concat(applied.keySet().stream(), inTransaction.keySet().stream())
        .filter(other -> !other.equals(source) && last(other).isPresent())
        .filter(other -> targetOf.apply(other).equals(target))
        .min(Comparator.naturalOrder());
  }

  /** The source tables that the open transaction is the first to apply. */
  Set<TableId> found() {
    return inTransaction.keySet().stream()
        .filter(source -> inTransaction.get(source).isPresent() && !applied.containsKey(source))
        .collect(Collectors.toSet());
  }

  void found(RowSchema schema) {
    inTransaction.put(schema.table(), Optional.of(schema));
  }

  /** Forgets the schemas of tables altered by DDL: the next rows have the right schema. */
  void altered(List<DefinitionChange> changes) {
    for (DefinitionChange change : changes) {
      inTransaction.put(change.table(), Optional.empty());
      if (change.before() != null) {
        inTransaction.put(change.before().table(), Optional.empty());
      }
    }
  }

  /** Sets a mark, to which {@link #backToMark} goes back. */
  void mark() {
    marked = Map.copyOf(inTransaction);
  }

  void backToMark() {
    inTransaction.clear();
    inTransaction.putAll(marked);
  }

  void committed() {
    inTransaction.forEach(
        (table, schema) ->
            schema.ifPresentOrElse(
                known -> applied.put(table, known), () -> applied.remove(table)));
    inTransaction.clear();
  }

  void rolledBack() {
    inTransaction.clear();
  }
}
