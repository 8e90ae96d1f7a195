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
 * The shape that the rows of each source table had last, as far as applied windows say, also those
 * of daemons before this one. Owned by the apply thread.
 */
final class RowShapes {
  private final Map<TableId, RowSchema> applied = new HashMap<>();
  private final Map<TableId, Optional<RowSchema>> inTransaction = new HashMap<>();
  private Map<TableId, Optional<RowSchema>> marked = Map.of();

  /** At a transaction's begin: what the target remembers, in the place of what is known here. */
  void begin(Map<TableId, RowSchema> onTarget) {
    applied.clear();
    applied.putAll(onTarget);
  }

  /** What the open transaction makes of the shapes that the target remembers; mostly nothing. */
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

  /** The shape before this one; empty where none is known. */
  Optional<RowSchema> last(TableId source) {
    return inTransaction.getOrDefault(source, Optional.ofNullable(applied.get(source)));
  }

  /**
   * Another source table whose rows go where those of this one would; empty where none is known.
   *
   * @param targetOf the target table of a source table
   */
  Optional<TableId> besides(TableId source, UnaryOperator<TableId> targetOf) {
    TableId target = targetOf.apply(source);
    return Stream.concat(applied.keySet().stream(), inTransaction.keySet().stream())
        .filter(other -> !other.equals(source) && last(other).isPresent())
        .filter(other -> targetOf.apply(other).equals(target))
        .min(Comparator.naturalOrder());
  }

  /** The source tables that the open transaction has rows of, and the target does not know. */
  Set<TableId> found() {
    return inTransaction.keySet().stream()
        .filter(source -> inTransaction.get(source).isPresent() && !applied.containsKey(source))
        .collect(Collectors.toSet());
  }

  void found(RowSchema schema) {
    inTransaction.put(schema.table(), Optional.of(schema));
  }

  /** After DDL that was described: what the next rows look like is known to be right. */
  void altered(List<DefinitionChange> changes) {
    for (DefinitionChange change : changes) {
      inTransaction.put(change.table(), Optional.empty());
      if (change.before() != null) {
        inTransaction.put(change.before().table(), Optional.empty());
      }
    }
  }

  /** From here on everything can be taken back by {@link #backToMark}. */
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
