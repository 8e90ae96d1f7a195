package dev.sluice.engine.validate.continuous;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.control.validation.ValidationStore;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import dev.sluice.sink.touched.TouchedKeys;
import dev.sluice.sink.touched.Uncompared;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evaluates and stores the findings of sessions, and passes them on to the running pass. Owned by
 * the thread of the validation.
 */
final class SessionResults {
  private static final Logger LOG = LoggerFactory.getLogger(SessionResults.class);
  private static final int MOST_WAITING = 100_000;

  private final Checkpoint claimed;
  private final ValidationStore store;
  private final RejectedDifferences rejected;
  private final TouchedKeys touched;
  private final WantedPasses wanted;
  private final ToIntFunction<TableId> mostFailures;

  /**
   * @param mostFailures differing rows of a table after which it is no longer compared
   */
  SessionResults(
      Checkpoint claimed,
      ValidationStore store,
      RejectedDifferences rejected,
      TouchedKeys touched,
      WantedPasses wanted,
      ToIntFunction<TableId> mostFailures) {
    this.claimed = claimed;
    this.store = store;
    this.rejected = rejected;
    this.touched = touched;
    this.wanted = wanted;
    this.mostFailures = mostFailures;
  }

  /**
   * What a session has compared.
   *
   * @param rows in parts of tables
   * @param keys looked up
   */
  record Compared(long rows, long keys) {}

  /**
   * @param found the findings of a session without an obstacle
   * @param plans of that session
   */
  Compared take(SessionFindings found, SessionPlans plans, ValidatedTables tables, Instant now) {
    Proof proof = found.proof().orElseThrow();
    List<TableFindings> counting =
        found.tables().stream().filter(table -> table.end() != End.REFUSED).toList();
    List<Outcome> outcomes =
        counting.stream()
            .map(table -> tables.outcome(table, proof, now, mostFailures.applyAsInt(table.table())))
            .map(rejected::noted)
            .toList();
    wanted.ended(found);
    store.store(claimed, outcomes);
    wanted.record(found, now);
    long rows = 0;
    long keys = 0;
    for (int i = 0; i < counting.size(); i++) {
      TableFindings table = counting.get(i);
      stored(table, outcomes.get(i), tables);
      compared(table, plans, proof.target());
      rows += table.chunks().stream().mapToLong(chunk -> chunk.source().rows()).sum();
      keys += table.equalKeys().size();
    }
    found.tables().stream()
        .filter(table -> table.end() == End.REFUSED)
        .forEach(
            table ->
                tables.stored(
                    table,
                    new Outcome(tables.get(table.table()).coverage(), List.of(), List.of())));
    return new Compared(rows, keys);
  }

  private void stored(TableFindings table, Outcome outcome, ValidatedTables tables) {
    Optional<CompletePass> before = tables.get(table.table()).coverage().complete();
    tables.stored(table, outcome);
    outcome
        .now()
        .complete()
        .filter(complete -> !before.equals(Optional.of(complete)))
        .ifPresent(complete -> completed(tables.get(table.table()), complete));
  }

  private void completed(TableState table, CompletePass complete) {
    touched.readAll(table.table(), complete.position());
    wanted.completed(table, () -> uncompared(table.table()));
    LOG.info(
        "validated {}: {}, {}; read from {} on",
        table.table(),
        Counted.of(complete.rows(), "row"),
        table.failures().isEmpty()
            ? "all equal"
            : Counted.of(table.failures().size(), "difference"),
        complete.position());
  }

  /** Marks keys as compared that were looked up and did not keep changing; lists differences. */
  private void compared(TableFindings table, SessionPlans plans, Position upTo) {
    if (table.end() != End.VOID) {
      List<RowKey> all = new ArrayList<>(table.equalKeys());
      table.differences().stream().map(RowDifference::key).forEach(all::add);
      List<Row> rows = plans.rowsOf(table.table(), all);
      touched.compared(table.table(), rows, upTo);
      wanted.compared(table.table(), rows);
    }
  }

  /**
   * The rows of a table that were touched and not compared, including rows of transactions that are
   * not applied yet: they may have been skipped before.
   */
  Uncompared uncompared(TableId table) {
    return touched.uncompared(table, MOST_WAITING, Position.MAX);
  }
}
