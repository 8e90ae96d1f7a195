package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.validation.RowFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides when rows that a repair has left are tried again automatically: later each time, and much
 * later if the target rejects them. Not kept over a start. Pure but for what it remembers; owned by
 * the thread of the validation.
 */
final class RepairBackoff {
  private static final Duration FIRST = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofMinutes(10);
  private static final Duration FIRST_OF_REFUSED = Duration.ofMinutes(1);
  private static final Duration LONGEST_OF_REFUSED = Duration.ofHours(1);

  private final Map<TableId, Map<String, Wait>> waits = new HashMap<>();

  /**
   * A row that was not repaired.
   *
   * @param row the row as it was listed at that time
   */
  private record Wait(RowFailure row, Instant tried, Duration length) {
    Instant until() {
      return tried.plus(length);
    }
  }

  /** Whether a row must not be tried again yet. */
  boolean isHeld(RowFailure row, Instant now) {
    Wait wait = waits.getOrDefault(row.table(), Map.of()).get(row.key());
    return wait != null && now.isBefore(wait.until());
  }

  /**
   * The same for a row that is repaired at once. A row that the target rejects waits as long as any
   * other. Any other row may be equal meanwhile, which only a session can find out: it waits until
   * a session has looked it up, but only for a moment, since a row that keeps changing looks the
   * same to each session.
   */
  boolean isLeft(RowFailure row, Instant now) {
    return row.refusal().isPresent() ? isHeld(row, now) : isAwaited(row, now);
  }

  /** Whether a session should check a row before the repair is tried again. */
  boolean isAwaited(RowFailure row, Instant now) {
    Wait wait = waits.getOrDefault(row.table(), Map.of()).get(row.key());
    return wait != null && wait.row().equals(row) && now.isBefore(wait.tried().plus(FIRST));
  }

  /**
   * Notes that the repair of rows was tried.
   *
   * @param left the rows among them that were not repaired, as they are listed now
   * @param listed all rows of the table that are listed now
   */
  void tried(TableId table, List<RowFailure> left, Collection<RowFailure> listed, Instant now) {
    Map<String, Wait> ofTable = waits.computeIfAbsent(table, any -> new HashMap<>());
    Set<String> keys =
        listed.stream().map(RowFailure::key).collect(Collectors.toCollection(HashSet::new));
    ofTable.keySet().retainAll(keys);
    for (RowFailure row : left) {
      Duration length = next(ofTable.get(row.key()), row.refusal().isPresent());
      ofTable.put(row.key(), new Wait(row, now, length));
    }
    if (ofTable.isEmpty()) {
      waits.remove(table);
    }
  }

  private static Duration next(Wait before, boolean refused) {
    Duration first = refused ? FIRST_OF_REFUSED : FIRST;
    Duration longest = refused ? LONGEST_OF_REFUSED : LONGEST;
    Duration next = before == null ? first : before.length().multipliedBy(2);
    return next.compareTo(first) < 0 ? first : next.compareTo(longest) > 0 ? longest : next;
  }
}
