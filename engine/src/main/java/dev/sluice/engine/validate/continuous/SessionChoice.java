package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.validate.schedule.TableOrder;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.lane.LaneId;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Chooses the lane and the tables of the next session, and plans it. Owned by the thread of the
 * validation.
 */
final class SessionChoice {
  private final Applied applied;
  private final WantedPasses wanted;
  private final RepairBackoff backoff;
  private final Predicate<TableId> pending;
  private final FirstVacuums vacuums;
  private final Supplier<SessionPlans> plans;
  private final PartSizes parts = new PartSizes();
  private final LookupTurns turns = new LookupTurns();
  private Optional<LaneId> last = Optional.empty();

  /**
   * @param pending tables of which it is not known yet whether an earlier pass still counts
   * @param plans makes plans that have no table yet
   */
  SessionChoice(
      Applied applied,
      WantedPasses wanted,
      RepairBackoff backoff,
      Predicate<TableId> pending,
      FirstVacuums vacuums,
      Supplier<SessionPlans> plans) {
    this.applied = applied;
    this.wanted = wanted;
    this.backoff = backoff;
    this.pending = pending;
    this.vacuums = vacuums;
    this.plans = plans;
  }

  /** The tables whose next part is to be read, the most urgent first. */
  List<TableId> due(ValidatedTables tables, TableOrder order, Instant now) {
    Set<TableId> suspended = applied.suspended();
    return order
        .due(
            tables.all().stream()
                .filter(table -> !suspended.contains(table.table()) && table.exempt().isEmpty())
                .filter(table -> wanted.isRead(table) && !wanted.gaveUp(table.table()))
                .map(TableState::coverage)
                .toList(),
            table -> mustBeReadAgain(tables.get(table.table())),
            wanted::fruitless,
            now)
        .stream()
        .filter(table -> isPrepared(tables.get(table)))
        .toList();
  }

  private boolean mustBeReadAgain(TableState table) {
    return table.mustBeReadAgain() && !pending.test(table.table()) || wanted.needs(table);
  }

  /**
   * Whether the table is prepared: otherwise the first read of new rows would write as much log as
   * it reads.
   */
  private boolean isPrepared(TableState table) {
    TableCoverage coverage = table.coverage();
    return !coverage.equals(TableCoverage.none(table.table(), coverage.shape()))
        || vacuums.isDone(table.table());
  }

  /** The lanes that have something to compare. */
  List<LaneId> lanes(ValidatedTables tables, List<TableId> due, Instant now) {
    return ordered(tables, List.of(), due, now).map(this::laneOf).distinct().toList();
  }

  /**
   * The lanes take turns, so that one whose rows differ for long does not keep the others waiting.
   */
  LaneId next(List<LaneId> lanes) {
    LaneId next = lanes.get((last.map(lanes::indexOf).orElse(-1) + 1) % lanes.size());
    last = Optional.of(next);
    return next;
  }

  /**
   * What a session of the lane compares.
   *
   * @param due the tables of which the next part is read; of the others only touched rows
   */
  SessionPlans plans(LaneId lane, ValidatedTables tables, List<TableId> due, Instant now) {
    Position reached = applied.position(lane);
    SessionPlans planned = plans.get();
    ordered(tables, turns.first(lane), due, now)
        .filter(table -> laneOf(table).equals(lane))
        .forEach(
            table ->
                planned.add(
                    table,
                    due.contains(table.table())
                        ? Optional.of(parts.of(table.table()))
                        : Optional.empty(),
                    wanted.areListedLookedUp(table),
                    wanted.awaited(table.table()),
                    reached));
    return planned;
  }

  /**
   * Takes over how a session of the lane has ended.
   *
   * @return the tables of the plans that it had no time for
   */
  Set<TableId> ended(LaneId lane, SessionPlans planned, List<TableFindings> found) {
    Set<TableId> missed =
        planned.all().stream().map(ComparisonPlan::table).collect(Collectors.toSet());
    found.stream()
        .filter(table -> !table.isUntried())
        .map(TableFindings::table)
        .forEach(missed::remove);
    parts.ended(found);
    turns.ended(lane, planned.all(), missed);
    return missed;
  }

  /**
   * First the tables with rows that a repair has left until a session has looked them up, then
   * those whose touched rows have their turn, then the tables that are due, in their order, and
   * then the others that may have touched rows.
   */
  private Stream<TableState> ordered(
      ValidatedTables tables, List<TableId> turn, List<TableId> due, Instant now) {
    Set<TableId> suspended = applied.suspended();
    List<TableState> others =
        tables.all().stream()
            .filter(table -> table.touched() > 0 || !table.failures().isEmpty())
            .filter(wanted::isRead)
            .filter(table -> !suspended.contains(table.table()))
            .toList();
    return Stream.of(
            others.stream().filter(table -> isAwaited(table, now)),
            others.stream()
                .filter(table -> turn.contains(table.table()) && !due.contains(table.table()))
                .sorted(Comparator.comparingInt(table -> turn.indexOf(table.table()))),
            due.stream().map(tables::get),
            others.stream())
        .flatMap(each -> each)
        .distinct();
  }

  private boolean isAwaited(TableState table, Instant now) {
    return wanted.repairedAtOnce().isPresent()
        && wanted.areListedLookedUp(table)
        && table.failures().stream().anyMatch(row -> backoff.isAwaited(row, now));
  }

  private LaneId laneOf(TableState table) {
    return applied.laneOf(table.target());
  }
}
