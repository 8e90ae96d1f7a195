package dev.sluice.sink.apply;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.DefinitionChange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The shape that the rows of each source table had last, as far as applied windows say, also those
 * of daemons before this one. Owned by the apply thread.
 */
final class RowShapes {
  private final Map<TableId, RowSchema> applied = new HashMap<>();
  private final Map<TableId, Optional<RowSchema>> inTransaction = new HashMap<>();
  private Map<TableId, Optional<RowSchema>> marked = Map.of();

  /** On a new connection: what the target remembers. */
  void begin(Map<TableId, RowSchema> onTarget) {
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

  void met(RowSchema schema) {
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

  /** Others applied rows of the table since: what shape they had is not known. */
  void forget(TableId source) {
    applied.remove(source);
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
