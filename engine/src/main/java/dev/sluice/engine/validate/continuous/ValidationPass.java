package dev.sluice.engine.validate.continuous;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.engine.validate.continuous.PassResult.Verdict;
import dev.sluice.engine.validate.record.PassTable;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.touched.TouchedRows;
import dev.sluice.sink.touched.Uncompared;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One pass over tables that somebody waits for: every row is to be read after a position, and what
 * was changed meanwhile is to be compared once more. Owned by the thread of the validation.
 */
final class ValidationPass {
  /** Sessions in which a row may change before it is reported as not comparable. */
  private static final int MOST_SESSIONS = 30;

  private static final String FORGOTTEN =
      "more rows were changed while it was read than fit into memory; run it when less is written";

  private final PassScope scope;
  private final Position since;

  /** The rows that were repaired since the pass began. */
  private long repaired;

  private final AwaitedRows awaited = new AwaitedRows();
  private final GivenUpTables givenUp = new GivenUpTables(MOST_SESSIONS);

  /** Sessions since each table was read to its end, without those that had no time for it. */
  private final Map<TableId, Integer> sessions = new HashMap<>();

  private Set<TableId> suspended = Set.of();

  /**
   * @param since the position of the source's log after which every row is to be read
   */
  ValidationPass(PassScope scope, Position since) {
    this.scope = scope;
    this.since = since;
  }

  PassScope scope() {
    return scope;
  }

  /** Whether the table is to be read in this pass. */
  boolean needs(TableState table) {
    return scope.has(table.table())
        && table
            .coverage()
            .complete()
            .map(CompletePass::position)
            .filter(read -> !awaited.readAgainAfter(table.table()).orElse(since).isAfter(read))
            .isEmpty();
  }

  /**
   * Takes over that a table was read to its end. Rows that were left out, since the target had
   * changes of them which the source's snapshot did not show, are among those that were touched.
   *
   * @param touched its rows that were touched and not compared, however far they are applied
   */
  void completed(TableState table, Uncompared touched) {
    sessions.remove(table.table());
    awaited.completed(table, touched);
  }

  /** The tables that are read, and have touched rows that are not yet waited for. */
  Set<TableId> unlisted() {
    return awaited.unlisted();
  }

  /** Waits for rows of a table that were touched and not compared. */
  void awaits(TableId table, Uncompared touched) {
    awaited.add(table, touched);
  }

  /** The rows of a table that are waited for, as far as they are listed. */
  TouchedRows awaited(TableId table) {
    return awaited.of(table);
  }

  /** Takes over that rows of a table were compared, before or after it was read to its end. */
  void compared(TableId table, Collection<Row> rows) {
    awaited.compared(table, rows);
  }

  /** Takes over how the last session ended for its tables, in their order. */
  void ended(List<TableFindings> session) {
    givenUp.ended(session);
  }

  /** Takes over that a session had no time for a table. */
  void hadNoTime(TableId table) {
    givenUp.hadNoTime(table);
  }

  /** Whether no further session of the pass reads the table. */
  boolean gaveUp(TableId table) {
    return givenUp.has(table) || awaited.areForgotten(table);
  }

  /** Takes over which tables no lane applies now: nothing of them is compared. */
  void suspended(Set<TableId> now) {
    suspended = Set.copyOf(now);
  }

  /** Takes over that rows were repaired. */
  void repaired(long rows) {
    repaired += rows;
  }

  /**
   * Counts a session.
   *
   * @param missed tables that it had no time for: their rows have not changed in it
   */
  void ended(Collection<TableState> tables, Set<TableId> missed) {
    for (TableState table : tables) {
      boolean counts = !needs(table) && !missed.contains(table.table());
      sessions.merge(table.table(), counts ? 1 : 0, Integer::sum);
    }
  }

  /** Whether every table is compared, or cannot be. */
  boolean isDone(Collection<TableState> tables) {
    return of(tables).stream().allMatch(this::isDone);
  }

  private boolean isDone(TableState table) {
    if (table.exempt().isPresent()
        || !table.coverage().suspended().isEmpty()
        || suspended.contains(table.table())
        || gaveUp(table.table())) {
      return true;
    }
    if (needs(table)) {
      return false;
    }
    return left(table) == 0 && !awaited.hasUnlisted(table.table())
        || sessions.getOrDefault(table.table(), 0) >= MOST_SESSIONS;
  }

  /** Rows of which it is not known whether they are equal. */
  private long left(TableState table) {
    return awaited.number(table.table())
        + table.failures().stream().filter(failure -> !failure.isConfirmed()).count();
  }

  private List<TableState> of(Collection<TableState> tables) {
    return tables.stream().filter(table -> scope.has(table.table())).toList();
  }

  PassResult result(Collection<TableState> replicated) {
    List<JudgedTable> tables = judged(replicated);
    List<String> lines = new ArrayList<>();
    Verdict all = Verdict.EQUAL;
    long rows = 0;
    for (JudgedTable table : tables) {
      lines.add(table.line());
      rows += table.rows();
      all = all.and(table.verdict());
    }
    lines.add(
        "%s: %s, %s; each row read after the source's log was at %s"
            .formatted(
                all.words(), Counted.of(tables.size(), "table"), Counted.of(rows, "row"), since));
    return new PassResult(all, lines, repaired);
  }

  /** What the pass says of each table, for its record. */
  List<PassTable> tables(Collection<TableState> replicated) {
    return judged(replicated).stream().map(JudgedTable::forRecord).toList();
  }

  private List<JudgedTable> judged(Collection<TableState> replicated) {
    return of(replicated).stream()
        .map(table -> new JudgedTable(table, !needs(table), reason(table)))
        .toList();
  }

  Position since() {
    return since;
  }

  /** Why the table is not proven, whether rows differ or not; empty if it is. */
  private Optional<String> reason(TableState table) {
    if (table.exempt().isPresent()) {
      return table.exempt();
    }
    if (!table.coverage().suspended().isEmpty()) {
      return Optional.of(table.coverage().suspended());
    }
    if (suspended.contains(table.table())) {
      return Optional.of("it is suspended, reloaded or catching up");
    }
    if (awaited.areForgotten(table.table())) {
      return Optional.of(FORGOTTEN);
    }
    if (needs(table)) {
      return Optional.of(table.problem().orElseGet(() -> givenUp.why(table.table())));
    }
    if (awaited.hasUnlisted(table.table())) {
      return Optional.of("more than " + Counted.of(left(table), "row") + " kept changing");
    }
    return left(table) == 0
        ? Optional.empty()
        : Optional.of(Counted.of(left(table), "row") + " kept changing");
  }
}
