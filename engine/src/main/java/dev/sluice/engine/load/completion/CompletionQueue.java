package dev.sluice.engine.load.completion;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.load.log.StoredStep;
import dev.sluice.load.log.StoredStep.State;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Decides which step may run next: the table must have all rows, and no step with a lower order may
 * be open. Pure; not threadsafe.
 */
final class CompletionQueue {
  private final Map<Integer, StoredStep> waiting = new LinkedHashMap<>();
  private final Map<Integer, StoredStep> running = new LinkedHashMap<>();
  private final Set<TableId> whole = new HashSet<>();
  private final boolean oneOfATable;

  /**
   * @param steps of one stage, in the preferred order
   * @param oneOfATable whether a table may have only one step in flight, also one that only
   *     references it
   */
  CompletionQueue(Collection<StoredStep> steps, boolean oneOfATable) {
    this.oneOfATable = oneOfATable;
    for (StoredStep step : steps) {
      if (step.state() == State.WAITING || step.state() == State.FAILED) {
        waiting.put(step.number(), step);
      }
    }
  }

  /** Called when a target table has all its rows. */
  void rowsWhole(TableId table) {
    whole.add(table);
  }

  void allRowsWhole() {
    waiting.values().forEach(step -> whole.add(step.step().table()));
  }

  /** Takes a step that may run now; empty if all remaining steps must wait. */
  Optional<StoredStep> next() {
    Map<TableId, Integer> lowest = lowestOpenPlaces();
    int lowestOfAll = lowest.values().stream().min(Integer::compare).orElse(0);
    Optional<StoredStep> next =
        waiting.values().stream()
            .filter(step -> whole.contains(step.step().table()))
            .filter(step -> !oneOfATable || tables(step).noneMatch(this::isAtWorkOn))
            .filter(
                step ->
                    step.step().place()
                        <= (step.step().stage() == Stage.CONSTRAINTS
                            ? lowestOfAll
                            : lowest.get(step.step().table())))
            .findFirst();
    next.ifPresent(
        step -> {
          waiting.remove(step.number());
          running.put(step.number(), step);
        });
    return next;
  }

  private boolean isAtWorkOn(TableId table) {
    return running.values().stream().flatMap(CompletionQueue::tables).anyMatch(table::equals);
  }

  /** The tables of a step: a foreign key also locks the table that it references. */
  private static Stream<TableId> tables(StoredStep step) {
    return Stream.concat(Stream.of(step.step().table()), step.step().references().stream());
  }

  void ended(StoredStep step) {
    running.remove(step.number());
  }

  /** Whether every step has ended. */
  boolean isEmpty() {
    return waiting.isEmpty() && running.isEmpty();
  }

  int open() {
    return waiting.size() + running.size();
  }

  private Map<TableId, Integer> lowestOpenPlaces() {
    Map<TableId, Integer> lowest = new HashMap<>();
    Stream.concat(waiting.values().stream(), running.values().stream())
        .map(StoredStep::step)
        .forEach(step -> lowest.merge(step.table(), step.place(), Math::min));
    return lowest;
  }
}
