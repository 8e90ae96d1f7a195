package dev.sluice.connector.api.source;

import dev.sluice.connector.api.Position;

/** What a capture knows of the transactions after which its task stops. */
public sealed interface StopReading {

  /** The last of them ends at this position. */
  record At(Position position) implements StopReading {}

  /** The last of them does not end at this position or before. */
  record NotUpTo(Position position) implements StopReading {}
}
