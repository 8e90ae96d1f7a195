package dev.sluice.connector.api.comparison;

import java.util.List;

/**
 * How the target reads a checkpoint: a query with one row and one column, the text of a position.
 * Immutable.
 *
 * @param sql in the target's language, with a question mark for each value
 */
public record CheckpointQuery(String sql, List<String> values) {
  public CheckpointQuery {
    values = List.copyOf(values);
  }
}
