package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.util.Optional;

/**
 * Remembers the names that captured tables get while they are captured, so that a start behind that
 * place captures them too. Used by a capture, on the thread that reads the source's log.
 */
@FunctionalInterface
public interface GainedNames {
  /**
   * Remembers a name. It is durable when this returns, so call it before anything is journaled
   * under the name.
   *
   * @param table the new name
   * @param behind what has this name behind that position is the task's
   * @return why it cannot be remembered; empty if it is
   * @throws dev.sluice.config.document.SluiceException if the attempt failed
   */
  Optional<String> gain(TableId table, Position behind);
}
