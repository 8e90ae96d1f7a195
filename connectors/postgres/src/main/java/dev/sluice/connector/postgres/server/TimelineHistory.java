package dev.sluice.connector.postgres.server;

import dev.sluice.connector.api.Position;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads PostgreSQL's history file of a timeline. Stateless. */
public final class TimelineHistory {
  /** A timeline, and the log position where the next one left it. */
  private static final Pattern LINE =
      Pattern.compile("^\\s*(\\d+)\\s+([0-9A-Fa-f]+/[0-9A-Fa-f]+)\\s", Pattern.MULTILINE);

  private TimelineHistory() {}

  /** The position where a timeline was left; empty if the history does not have it. */
  public static Optional<Position> leftAt(String history, int timeline) {
    Matcher line = LINE.matcher(history);
    while (line.find()) {
      if (Integer.parseInt(line.group(1)) == timeline) {
        return Optional.of(Position.parse(line.group(2)));
      }
    }
    return Optional.empty();
  }
}
