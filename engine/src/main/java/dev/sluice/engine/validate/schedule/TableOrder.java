package dev.sluice.engine.validate.schedule;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.control.validation.TableCoverage.RunningPass;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Decides which tables a session reads, and in which order: first tables that were begun, then
 * those that were never read, then those that were read the longest ago. A table for which sessions
 * had no result comes last, so that it does not keep others waiting. A table whose proof is recent
 * enough is not read again. Pure.
 *
 * @param maxProofAge the time within which each table is read again
 */
public record TableOrder(Duration maxProofAge) {

  /** A table is read again before its proof is too old, by this part of the maximum age. */
  private static final int EARLY = 5;

  /**
   * The tables that are due, the most urgent first.
   *
   * @param outdated whether a table's last pass is void
   * @param fruitless the number of successive sessions without a result for a table
   */
  public List<TableId> due(
      Collection<TableCoverage> tables,
      Predicate<TableCoverage> outdated,
      ToIntFunction<TableId> fruitless,
      Instant now) {
    return tables.stream()
        .filter(table -> table.suspended().isEmpty())
        .filter(table -> outdated.test(table) || isDue(table, now))
        .sorted(
            Comparator.comparingInt((TableCoverage table) -> fruitless.applyAsInt(table.table()))
                .thenComparing(TableOrder::begun, Comparator.reverseOrder())
                .thenComparing(TableOrder::lastRead)
                .thenComparing(TableCoverage::table))
        .map(TableCoverage::table)
        .toList();
  }

  /** Whether the last complete pass is older than a proof may be. */
  public boolean isTooOld(TableCoverage table, Instant now) {
    return table.complete().map(pass -> pass.at().plus(maxProofAge).isBefore(now)).orElse(true);
  }

  private boolean isDue(TableCoverage table, Instant now) {
    Optional<RunningPass> running = table.running();
    Duration age = maxProofAge.minus(maxProofAge.dividedBy(EARLY));
    return running.isPresent()
        || table.complete().map(pass -> !pass.at().plus(age).isAfter(now)).orElse(true);
  }

  private static boolean begun(TableCoverage table) {
    return table.running().isPresent();
  }

  private static Instant lastRead(TableCoverage table) {
    return table.complete().map(CompletePass::at).orElse(Instant.MIN);
  }
}
