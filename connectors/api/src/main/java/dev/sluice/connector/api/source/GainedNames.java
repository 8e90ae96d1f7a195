package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * Remembers the names that captured tables get, and the tables that are made and dropped, while a
 * task captures its source, so that a start after that place captures the same. Used by a capture,
 * on the thread that reads the source's log.
 */
public interface GainedNames {
  /** Of a capture whose tables keep their names. */
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
   * Remembers a name. It is durable when this returns, so call it before anything is journaled
   * under the name.
   *
   * @param table the new name
   * @param behind what has this name after that position is the task's
   * @param proven where the source showed what the table is. Before that, a statement may make it
   *     what it shows there. The same as {@code behind} if nothing had to be shown
   * @return why it cannot be remembered; empty if it is
   * @throws dev.sluice.config.document.SluiceException if the attempt failed
   */
  Optional<String> gain(TableId table, Position behind, Position proven);

  /**
   * Remembers that tables were dropped, or got other names. It is durable when this returns, so
   * call it before that is journaled.
   *
   * @param behind what has one of these names after that position is another table
   * @return whether it is remembered; else a later start takes such a table for the former one
   * @throws dev.sluice.config.document.SluiceException if the attempt failed
   */
  boolean lose(Collection<TableId> tables, Position behind);

  /** The remembered names, and where the source showed what each table is. */
  Map<TableId, Position> proven();
}
