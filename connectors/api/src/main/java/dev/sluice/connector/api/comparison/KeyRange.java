package dev.sluice.connector.api.comparison;

import java.util.Optional;

/**
 * The rows of a range of keys, in the order of the key.
 *
 * @param after keys after this one; empty: from the beginning
 * @param upTo keys up to and with this one; empty: without an upper end
 */
public record KeyRange(Optional<RowKey> after, Optional<RowKey> upTo) implements ChunkBounds {
  public static final KeyRange ALL = new KeyRange(Optional.empty(), Optional.empty());

  public static KeyRange from(Optional<RowKey> after) {
    return new KeyRange(after, Optional.empty());
  }
}
