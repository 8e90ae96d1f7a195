package dev.sluice.connector.api.source.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import java.util.List;

/**
 * The values of sequences. Immutable.
 *
 * @param states each sequence once
 * @param unreadable sequences that this user may not read
 */
public record SequenceReading(List<SequenceState> states, List<TableId> unreadable) {
  public SequenceReading {
    states = List.copyOf(states);
    unreadable = List.copyOf(unreadable);
  }
}
