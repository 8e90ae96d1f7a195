package dev.sluice.engine.validate.continuous;

import static java.util.stream.Collectors.toSet;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.engine.validate.continuous.PassResult.Verdict;
import dev.sluice.engine.validate.record.PassTable;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.touched.Uncompared;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
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

  /** How often a table is read from its begin because changed rows were forgotten. */
  private static final int MOST_READS = 3;

  private static final int EXAMPLES = 10;

  private static final String FORGOTTEN =
      "more rows were changed while it was read than fit into memory; run it when less is written";

  private static final String NOT_IN_TIME =
      "it was not read; a table without a key, or whose key the two sides order differently, must be"
          + " read within ValidationSnapshotAge";

  private final PassScope scope;
  private final Position since;

  /** The rows that were repaired since the pass began. */
  private long repaired;

  /** Rows that had been touched and not compared when their table was read to its end. */
  private final Map<TableId, Set<Row>> waiting = new HashMap<>();

  /** Tables with more such rows than are in {@link #waiting}. */
  private final Set<TableId> unlisted = new HashSet<>();

  /** Tables of which such rows were forgotten, and the position after which all is to be read. */
  private final Map<TableId, Position> forgotten = new HashMap<>();

  /** How often a table was read to its end, with rows that were forgotten. */
  private final Map<TableId, Integer> reads = new HashMap<>();

  private final Map<TableId, Integer> sessions = new HashMap<>();

  private final FruitlessSessions fruitless = new FruitlessSessions();

  /** Why the last session that read a table had not enough time for it. */
  private final Map<TableId, String> lastWhy = new HashMap<>();

  /** Tables that the pass reads no more, whatever is looked up of them later. */
  private final Set<TableId> givenUp = new HashSet<>();

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
            .filter(read -> !forgotten.getOrDefault(table.table(), since).isAfter(read))
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
    awaits(table.table(), touched);
    Optional<Position> lost = touched.dirtySince().filter(any -> !table.key().isEmpty());
    if (lost.isEmpty()) {
      forgotten.remove(table.table());
      reads.remove(table.table());
    } else if (reads.merge(table.table(), 1, Integer::sum) < MOST_READS) {
      forgotten.put(table.table(), lost.get());
    }
  }

  /** The tables that are read, and have touched rows that are not yet waited for. */
  Set<TableId> unlisted() {
    return unlisted.stream().filter(table -> waiting.get(table).isEmpty()).collect(toSet());
  }

  /** Waits for rows of a table that were touched and not compared. */
  void awaits(TableId table, Uncompared touched) {
    Set<Row> rows = new HashSet<>(touched.rows().keys());
    if (rows.size() < touched.all()) {
      unlisted.add(table);
    } else {
      unlisted.remove(table);
    }
    waiting.put(table, rows);
  }

  /** Takes over that rows of a table were compared, before or after it was read to its end. */
  void compared(TableId table, Collection<Row> rows) {
    Set<Row> left = waiting.get(table);
    if (left != null) {
      rows.forEach(left::remove);
    }
  }

  /** Takes over how the last session ended for its tables, in their order. */
  void ended(List<TableFindings> session) {
    fruitless.ended(session);
    for (TableFindings table : session) {
      if (table.end() == End.OUT_OF_TIME) {
        table.why().ifPresent(why -> lastWhy.put(table.table(), why));
      }
      if (table.end() == End.REFUSED) {
        givenUp.add(table.table());
      }
      giveUpIfFruitless(table.table());
    }
  }

  /** Takes over that a session had no time for a table. */
  void hadNoTime(TableId table) {
    fruitless.add(table);
    giveUpIfFruitless(table);
  }

  private String notInTime(TableId table) {
    String why = lastWhy.get(table);
    return why == null ? NOT_IN_TIME : NOT_IN_TIME + ". What ended the last session: " + why;
  }

  private void giveUpIfFruitless(TableId table) {
    if (fruitless.of(table) >= MOST_SESSIONS) {
      givenUp.add(table);
    }
  }

  /** Whether no further session of the pass reads the table. */
  boolean gaveUp(TableId table) {
    return givenUp.contains(table) || isForgotten(table);
  }

  /** Takes over which tables no lane applies now: nothing of them is compared. */
  void suspended(Set<TableId> now) {
    suspended = Set.copyOf(now);
  }

  /** Takes over that rows were repaired. */
  void repaired(long rows) {
    repaired += rows;
  }

  /** Counts a session. */
  void ended(Collection<TableState> tables) {
    tables.forEach(table -> sessions.merge(table.table(), needs(table) ? 0 : 1, Integer::sum));
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
    return left(table) == 0 && !unlisted.contains(table.table())
        || sessions.getOrDefault(table.table(), 0) >= MOST_SESSIONS;
  }

  /** Whether the table was read too often with changed rows that were forgotten. */
  private boolean isForgotten(TableId table) {
    return reads.getOrDefault(table, 0) >= MOST_READS;
  }

  /** Rows of which it is not known whether they are equal. */
  private long left(TableState table) {
    return waiting.getOrDefault(table.table(), Set.of()).size()
        + table.failures().stream().filter(failure -> !failure.isConfirmed()).count();
  }

  private List<TableState> of(Collection<TableState> tables) {
    return tables.stream().filter(table -> scope.has(table.table())).toList();
  }

  PassResult result(Collection<TableState> replicated) {
    List<TableState> tables = of(replicated);
    List<String> lines = new ArrayList<>();
    Verdict all = Verdict.EQUAL;
    long rows = 0;
    for (TableState table : tables) {
      lines.add(line(table));
      rows += table.coverage().complete().map(CompletePass::rows).orElse(0L);
      all = worse(all, verdict(table));
    }
    String word =
        switch (all) {
          case EQUAL -> "equal";
          case NOT_EQUAL -> "NOT equal";
          case NOT_PROVEN -> "not proven";
        };
    lines.add(
        "%s: %s, %s; each row read after the source's log was at %s"
            .formatted(word, Counted.of(tables.size(), "table"), Counted.of(rows, "row"), since));
    return new PassResult(all, lines, repaired);
  }

  /** What the pass says of each table. */
  List<PassTable> tables(Collection<TableState> tables) {
    return of(tables).stream().map(this::passTable).toList();
  }

  private PassTable passTable(TableState table) {
    String words =
        switch (verdict(table)) {
          case EQUAL -> "equal";
          case NOT_EQUAL -> "NOT equal";
          case NOT_PROVEN -> "not proven: " + reason(table).orElse("");
        };
    return new PassTable(
        table.table(),
        table.target(),
        table.key(),
        words,
        needs(table) ? Optional.empty() : table.coverage().complete().map(CompletePass::rows),
        table.notCompared(),
        table.failures().stream()
            .map(row -> new PassTable.Differing(row.kind().name(), row.key(), row.isConfirmed()))
            .toList());
  }

  Position since() {
    return since;
  }

  private static Verdict worse(Verdict one, Verdict other) {
    if (one == Verdict.NOT_EQUAL || other == Verdict.NOT_EQUAL) {
      return Verdict.NOT_EQUAL;
    }
    return one == Verdict.NOT_PROVEN ? one : other;
  }

  private Verdict verdict(TableState table) {
    if (table.failed() > 0) {
      return Verdict.NOT_EQUAL;
    }
    return reason(table).isEmpty() ? Verdict.EQUAL : Verdict.NOT_PROVEN;
  }

  /** Why the table is not proven; empty if it is, or if rows differ. */
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
    if (isForgotten(table.table())) {
      return Optional.of(FORGOTTEN);
    }
    if (needs(table)) {
      return Optional.of(table.problem().orElseGet(() -> notInTime(table.table())));
    }
    if (unlisted.contains(table.table())) {
      return Optional.of("more than " + Counted.of(left(table), "row") + " kept changing");
    }
    return left(table) == 0
        ? Optional.empty()
        : Optional.of(Counted.of(left(table), "row") + " kept changing");
  }

  private String line(TableState table) {
    long rows = table.coverage().complete().map(CompletePass::rows).orElse(0L);
    if (table.failed() == 0) {
      return "%s: %s%s"
          .formatted(
              table.table(),
              needs(table) ? "" : Counted.of(rows, "row") + ", ",
              reason(table).map(why -> "not proven: " + why).orElse("equal"));
    }
    List<RowFailure> confirmed = table.failures().stream().filter(RowFailure::isConfirmed).toList();
    return "%s: %s: %,d differ, %,d missing, %,d extra%s: %s"
        .formatted(
            table.table(),
            Counted.of(rows, "row"),
            count(confirmed, FailureKind.RECORD_DIFF),
            count(confirmed, FailureKind.MISSING_TARGET),
            count(confirmed, FailureKind.MISSING_SOURCE),
            table.rejected() == 0
                ? ""
                : "; changes of %,d of them were rejected".formatted(table.rejected()),
            confirmed.stream().limit(EXAMPLES).map(RowFailure::key).toList());
  }

  private static long count(List<RowFailure> failures, FailureKind kind) {
    return failures.stream().filter(failure -> failure.kind() == kind).count();
  }
}
