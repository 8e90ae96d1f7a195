package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * Stores names that captured tables get, and tables that are created and dropped, while a task
 * captures its source, so that a later start captures the same tables. Used by a capture, on the
 * thread that reads the source's log.
 */
public interface GainedNames {
  /** For a capture whose tables keep their names. */
  GainedNames NONE =
      new GainedNames() {
        @Override
        public Optional<String> gain(TableId table, Position behind, Position proven) {
          return Optional.of("new names are not remembered");
        }

        @Override
        public boolean lose(Collection<TableId> tables, Position behind) {
          return false;
        }

        @Override
        public Map<TableId, Position> proven() {
          return Map.of();
        }
      };

  /**
   * Stores a name. It is durable when this returns; called before anything is journaled under the
   * name.
   *
   * @param table the new name
   * @param behind the table with this name after that position is the task's
   * @param proven the position at which the source showed the table's definition: until there,
   *     later statements may have changed it. The same as {@code behind} if nothing had to be shown
   * @return why it cannot be stored; empty if it is
   * @throws dev.sluice.config.document.SluiceException if the attempt failed
   */
  Optional<String> gain(TableId table, Position behind, Position proven);

  /**
   * Stores that tables were dropped or renamed. It is durable when this returns; called before that
   * is journaled.
   *
   * @param behind a table with one of these names after that position is another one
   * @return whether it is stored; otherwise a later start takes such a table for the former one
   * @throws dev.sluice.config.document.SluiceException if the attempt failed
   */
  boolean lose(Collection<TableId> tables, Position behind);

  /** The stored names, with the position at which the source showed each table. */
  Map<TableId, Position> proven();
}
