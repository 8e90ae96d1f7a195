package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.engine.validate.record.PassTable;
import dev.sluice.engine.validate.record.RecordHead;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.sink.touched.TouchedRows;
import dev.sluice.sink.touched.Uncompared;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The passes that a command or a resync waits for. One runs at a time. If comparing is only on
 * demand, nothing is compared without a pass. Owned by the thread of the validation; any thread may
 * request passes.
 */
final class WantedPasses {
  private final PassRequests requests = new PassRequests();
  private final FruitlessSessions fruitless = new FruitlessSessions();
  private boolean onDemand;
  private Optional<ResyncPasses> resync = Optional.empty();

  /** Empty while no pass runs. */
  private Optional<ValidationPass> running = Optional.empty();

  /** Compares nothing without a pass. Called before the start. */
  void onlyOnDemand() {
    onDemand = true;
  }

  /** Runs passes, and repairs differences at once. Called before the start. */
  void resync(ResyncPasses passes) {
    resync = Optional.of(passes);
  }

  /**
   * Requests a pass. Called from any thread.
   *
   * @param record the file for the record of the pass; empty without one
   */
  CompletableFuture<PassResult> add(PassScope scope, Optional<Path> record) {
    return requests.add(scope, record);
  }

  /** The scope of a pass that may begin now; empty if one runs or none is wanted. */
  Optional<PassScope> due(Instant now) {
    if (isRunning()) {
      return Optional.empty();
    }
    return requests
        .next()
        .or(() -> resync.filter(wanted -> wanted.isDue(now)).map(any -> PassScope.ALL));
  }

  void refuse(PassScope scope, SluiceException why) {
    requests.refuse(scope, why);
  }

  /** Refuses all requests that were not answered by a pass yet. */
  void refuseAll(SluiceException why) {
    requests.refuseAll(why);
  }

  /**
   * Begins a pass.
   *
   * @param newestRejected the number of the newest rejected change
   * @param end the end of the source's log, after which every row is to be read; read after the
   *     change
   * @param head of the pass's records, if there are any, by that position
   */
  void begin(
      PassScope scope,
      LongSupplier newestRejected,
      Supplier<Position> end,
      Function<Position, RecordHead> head,
      Instant now) {
    if (scope.equals(PassScope.ALL)) {
      resync.ifPresent(of -> of.begun(newestRejected.getAsLong()));
    }
    Position since = end.get();
    running = Optional.of(new ValidationPass(scope, since));
    requests.begin(scope, () -> head.apply(since), now);
  }

  boolean isRunning() {
    return running.isPresent();
  }

  Optional<ValidationPass> running() {
    return running;
  }

  /** Whether sessions run only while a pass does, and none does. */
  boolean isIdle() {
    return (onDemand || resync.isPresent()) && !isRunning();
  }

  /** Whether the table is read now. Without EnableValidation only tables of a wanted pass are. */
  boolean isRead(TableState table) {
    return !onDemand || running.isEmpty() || running.get().scope().has(table.table());
  }

  /** The rows of a table that the running pass waits for. */
  TouchedRows awaited(TableId table) {
    return running.map(pass -> pass.awaited(table)).orElse(TouchedRows.NONE);
  }

  /** Whether the running pass has not read the table yet. */
  boolean needs(TableState table) {
    return running.filter(pass -> pass.needs(table)).isPresent();
  }

  /** The number of successive sessions without a result for the table, also without a pass. */
  int fruitless(TableId table) {
    return fruitless.of(table);
  }

  /** Whether the running pass has given up the table. */
  boolean gaveUp(TableId table) {
    return running.filter(pass -> pass.gaveUp(table)).isPresent();
  }

  /** The tables whose differing rows are repaired at once; empty if none are. */
  Optional<PassScope> repairedAtOnce() {
    return resync
        .map(ResyncPasses::scope)
        .or(() -> running.map(ValidationPass::scope).filter(PassScope::repairs));
  }

  /**
   * Whether listed rows are looked up now. If they are repaired at once, that is done when their
   * table was read completely, or if there are many.
   */
  boolean areListedLookedUp(TableState table) {
    return !isRunning()
        || repairedAtOnce().isEmpty()
        || !needs(table)
        || table.coverage().running().isEmpty()
        || table.failures().size() >= DueRepair.MANY;
  }

  /** The plans, in the form that the records of the running pass need. */
  List<ComparisonPlan> recorded(List<ComparisonPlan> plans) {
    return requests.isRecorded()
        ? plans.stream().map(ComparisonPlan::withRechecks).toList()
        : plans;
  }

  /** Takes the result of a session. */
  void ended(SessionFindings found) {
    fruitless.ended(found.tables());
    running.ifPresent(pass -> pass.ended(found.tables()));
  }

  /** Notes that a session ended before it read the table, its first one. */
  void hadNoTime(TableId table) {
    fruitless.add(table);
    running.ifPresent(pass -> pass.hadNoTime(table));
  }

  /** Adds a session's findings to the records. */
  void record(SessionFindings found, Instant now) {
    requests.add(found, now);
  }

  /**
   * Notes that a table was read completely.
   *
   * @param left its rows that were touched and not compared
   */
  void completed(TableState table, Supplier<Uncompared> left) {
    running.ifPresent(pass -> pass.completed(table, left.get()));
  }

  void compared(TableId table, Collection<Row> rows) {
    running.ifPresent(pass -> pass.compared(table, rows));
  }

  void repaired(long rows) {
    resync.ifPresent(of -> of.repaired(rows));
    running.ifPresent(pass -> pass.repaired(rows));
  }

  /** Notes that an operator repairs the rest of a resync, so that its next pass need not wait. */
  void hurry() {
    resync.ifPresent(ResyncPasses::hurry);
  }

  /**
   * Counts a session.
   *
   * @param missed tables that it had no time for
   */
  void sessionEnded(Collection<TableState> tables, Set<TableId> missed) {
    running.ifPresent(pass -> pass.ended(tables, missed));
  }

  /**
   * Ends the pass if every table is compared, or cannot be.
   *
   * @param suspended tables that no lane applies now
   * @param left the rows of a table that were touched and not compared
   */
  void endIfDone(
      Collection<TableState> tables,
      Set<TableId> suspended,
      Function<TableId, Uncompared> left,
      Instant now) {
    if (running.isEmpty()) {
      return;
    }
    ValidationPass pass = running.get();
    pass.suspended(suspended);
    pass.unlisted().forEach(table -> pass.awaits(table, left.apply(table)));
    if (pass.isDone(tables)) {
      end(tables, now);
    }
  }

  /** Ends the running pass, if there is one, with the results so far. */
  void end(Collection<TableState> tables, Instant now) {
    if (running.isEmpty()) {
      return;
    }
    ValidationPass pass = running.get();
    PassResult result = pass.result(tables);
    List<PassTable> ofTables = pass.tables(tables);
    running = Optional.empty();
    if (pass.scope().equals(PassScope.ALL)) {
      resync.ifPresent(of -> of.ended(result, tables.size(), now));
    }
    requests.complete(ofTables, result, now);
  }

  /** Refuses further requests: no pass ends any more. */
  void close() {
    requests.close();
  }
}
