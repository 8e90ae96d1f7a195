package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.RepairPolicy;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Repairs the listed rows of tables: on request, and after sessions if the running pass or the
 * settings say so. Owned by the thread of the validation; any thread may request repairs.
 */
final class RowRepairs {
  private final Supplier<Repairs> writers;
  private final RepairGate gate;
  private final Applied applied;
  private final WantedPasses wanted;
  private final RepairBackoff backoff;
  private final Consumer<TableId> voided;
  private final Queue<Request> requests = new ConcurrentLinkedQueue<>();

  private record Request(
      List<TableId> only, boolean deleteExtra, CompletableFuture<List<String>> answer) {}

  /**
   * @param writers creates the writer for the rows of one repair
   * @param voided gets each table that a repair may have written to
   */
  RowRepairs(
      Supplier<Repairs> writers,
      RepairGate gate,
      Applied applied,
      WantedPasses wanted,
      RepairBackoff backoff,
      Consumer<TableId> voided) {
    this.writers = writers;
    this.gate = gate;
    this.applied = applied;
    this.wanted = wanted;
    this.backoff = backoff;
    this.voided = voided;
  }

  /**
   * Requests a repair. Called from any thread.
   *
   * @param only the tables; empty: all that have listed rows
   * @param deleteExtra whether rows that only the target has are deleted
   * @return a line for each table
   */
  CompletableFuture<List<String>> add(List<TableId> only, boolean deleteExtra) {
    Request request = new Request(only, deleteExtra, new CompletableFuture<>());
    requests.add(request);
    return request.answer();
  }

  /**
   * Makes the repairs that were asked for, one after the other.
   *
   * @param obstacle why no session may begin yet; empty if one may
   * @param tables as they are known by then
   * @return the obstacle, if there is one: what was not repaired is still asked for
   */
  Optional<String> answerAll(Supplier<Optional<String>> obstacle, Supplier<ValidatedTables> tables)
      throws InterruptedException {
    while (!requests.isEmpty()) {
      wanted.hurry();
      try {
        Optional<String> early = obstacle.get();
        if (early.isPresent()) {
          return early;
        }
        answerNext(tables.get());
      } catch (RuntimeException e) {
        refuseNext(e);
      }
    }
    return Optional.empty();
  }

  /** Makes the repair that was requested first. If it fails, the request stays. */
  private void answerNext(ValidatedTables tables) throws InterruptedException {
    Request request = requests.peek();
    if (request == null) {
      return;
    }
    tables.requireReplicated(request.only());
    List<DueRepair> listed =
        tables.all().stream()
            .filter(table -> !table.failures().isEmpty())
            .map(TableState::table)
            .filter(table -> request.only().isEmpty() || request.only().contains(table))
            .map(table -> new DueRepair(table, row -> true, request.deleteExtra()))
            .toList();
    request.answer().complete(repair(tables, listed).words());
    requests.remove(request);
  }

  /** Refuses the repair that was requested first. */
  private void refuseNext(RuntimeException why) {
    Request request = requests.poll();
    if (request != null) {
      request.answer().completeExceptionally(why);
    }
  }

  /** Refuses all requested repairs. */
  void refuseAll(SluiceException why) {
    for (Request request = requests.poll(); request != null; request = requests.poll()) {
      request.answer().completeExceptionally(why);
    }
  }

  /**
   * Repairs the differences that a session has found, if the pass or the settings say so.
   *
   * @return the number of repaired rows; empty if no repair was due or allowed
   */
  OptionalLong afterSession(ValidatedTables tables, RepairPolicy policy, Clock clock)
      throws InterruptedException {
    List<DueRepair> due = due(tables, policy, clock.instant());
    long repaired = 0;
    for (DueRepair each : due) {
      if (gate.isClosed()) {
        return OptionalLong.empty();
      }
      try {
        repaired += repair(tables, List.of(each)).repaired();
      } finally {
        TableState table = tables.get(each.table());
        backoff.tried(each.table(), each.of(table), table.failures(), clock.instant());
      }
    }
    return due.isEmpty() ? OptionalLong.empty() : OptionalLong.of(repaired);
  }

  private List<DueRepair> due(ValidatedTables tables, RepairPolicy policy, Instant now) {
    return wanted
        .repairedAtOnce()
        .map(
            scope ->
                DueRepair.atOnce(
                    scope, wanted.running(), tables.all(), row -> backoff.isLeft(row, now)))
        .orElseGet(() -> DueRepair.byPolicy(policy, tables.all(), row -> backoff.isHeld(row, now)));
  }

  /**
   * @param words a line for each table
   */
  private record Repaired(List<String> words, long repaired) {}

  private Repaired repair(ValidatedTables tables, List<DueRepair> due) throws InterruptedException {
    gate.enter();
    try {
      return repair(writers.get(), tables, due);
    } finally {
      gate.leave();
    }
  }

  private Repaired repair(Repairs writer, ValidatedTables tables, List<DueRepair> due)
      throws InterruptedException {
    List<String> words = new ArrayList<>();
    Set<TableId> suspended = applied.suspended();
    for (DueRepair each : due) {
      TableId name = each.table();
      TableState table = tables.get(name);
      if (suspended.contains(name)) {
        words.add(
            "%s: 0 rows repaired, %d left: it is suspended, reloaded or catching up"
                .formatted(name, table.failures().size()));
        continue;
      }
      try {
        words.add(writer.repair(tables, each, applied.laneOf(table.target())));
      } finally {
        voided.accept(name);
      }
    }
    wanted.repaired(writer.repaired());
    return new Repaired(words, writer.repaired());
  }
}
