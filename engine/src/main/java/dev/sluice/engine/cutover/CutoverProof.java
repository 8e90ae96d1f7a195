package dev.sluice.engine.cutover;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.engine.validate.continuous.TouchedRounds;
import dev.sluice.engine.validate.continuous.ValidationProgress.OfTable;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Proves by comparison, while writers are stopped, that the rows are equal which were changed since
 * they were last compared. Nothing is proven of tables that differ or were not read, if somebody
 * has accepted that. Used by the cutover's thread.
 */
final class CutoverProof implements AutoCloseable {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);

  private final Optional<TouchedRounds> rounds;
  private final Set<TableId> expected;

  private CutoverProof(Optional<TouchedRounds> rounds, Set<TableId> expected) {
    this.rounds = rounds;
    this.expected = expected;
  }

  /**
   * Begins while writers go on; {@link #catchUp} leaves little for the time when they are stopped.
   *
   * @param rounds empty if the validation does not run
   * @param accepted kinds of choices that somebody has accepted
   */
  static CutoverProof begin(Optional<TouchedRounds> rounds, Set<String> accepted) {
    return new CutoverProof(
        rounds,
        rounds.stream()
            .flatMap(open -> open.progress().tables().stream())
            .filter(table -> !isExcused(table, accepted))
            .map(OfTable::table)
            .collect(Collectors.toSet()));
  }

  /**
   * Compares, while writers go on, what they have changed before: what is left then is compared
   * while they are stopped. Ends when a round leaves no fewer rows than the one before, since more
   * are changed meanwhile.
   *
   * @param longest after which the rest has to be compared with writers stopped
   * @param intervals for elapsed time
   * @return how many rows are left to compare
   */
  long catchUp(Duration longest, Clock intervals) throws InterruptedException {
    if (rounds.isEmpty() || expected.isEmpty()) {
      return 0;
    }
    Instant end = intervals.instant().plus(longest);
    long before = Long.MAX_VALUE;
    long round = rounds.get().next();
    while (hasEnded(round, end, intervals)) {
      long left = left();
      if (left == 0 || left >= before) {
        return left;
      }
      before = left;
      round = rounds.get().ended() + 1;
    }
    return left();
  }

  /** Waits for the end of a round. Returns false if the time is over before. */
  private boolean hasEnded(long round, Instant end, Clock intervals) throws InterruptedException {
    return Polling.every(BETWEEN_LOOKS, intervals)
        .until(Duration.between(intervals.instant(), end), () -> rounds.get().ended() >= round);
  }

  private long left() {
    return rounds.orElseThrow().progress().tables().stream()
        .filter(table -> expected.contains(table.table()))
        .mapToLong(OfTable::touched)
        .sum();
  }

  private static boolean isExcused(OfTable table, Set<String> accepted) {
    return accepted.contains(table.failed() > 0 ? "differences" : "not-proven")
        && !table.isFollowed();
  }

  /** What is proven when {@link #await} has returned, for the report. */
  List<String> lines() {
    if (rounds.isEmpty()) {
      return List.of(
          "rows proven equal by comparison: none, since the validation does not run; the fence"
              + " proves that every change is applied");
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        "rows proven equal by comparison: %s%s"
            .formatted(Counted.of(expected.size(), "table"), names(expected)));
    Set<TableId> excused =
        rounds.get().progress().tables().stream()
            .map(OfTable::table)
            .filter(table -> !expected.contains(table))
            .collect(Collectors.toSet());
    if (!excused.isEmpty()) {
      lines.add(
          "not proven equal, which was accepted: %s%s"
              .formatted(Counted.of(excused.size(), "table"), names(excused)));
    }
    return lines;
  }

  private static String names(Set<TableId> tables) {
    return tables.isEmpty()
        ? ""
        : tables.stream()
            .map(TableId::toString)
            .sorted()
            .collect(Collectors.joining(", ", ": ", ""));
  }

  /**
   * Waits until every row is proven equal, as of a moment after this call.
   *
   * @throws SluiceException if a row differs, or the time is over
   */
  void await(Budget budget) throws InterruptedException {
    if (rounds.isEmpty() || expected.isEmpty()) {
      return;
    }
    long enough = rounds.get().next();
    Polling.every(BETWEEN_LOOKS).until(() -> isProven(enough, budget));
  }

  /**
   * @param enough the round from which on a proof counts
   * @throws SluiceException if a row differs, or the time is over
   */
  private boolean isProven(long enough, Budget budget) {
    boolean fresh = rounds.orElseThrow().ended() >= enough;
    List<OfTable> open =
        rounds.get().progress().tables().stream()
            .filter(table -> expected.contains(table.table()) && !table.isProven())
            .toList();
    requireEqual(open);
    if (fresh && open.isEmpty()) {
      return true;
    }
    if (budget.left().isZero()) {
      throw budget.over(
          open.isEmpty()
              ? "the rows that were changed last were not compared"
              : "not every row was compared: "
                  + open.stream()
                      .map(table -> "%s %d".formatted(table.table(), table.touched()))
                      .toList());
    }
    return false;
  }

  private static void requireEqual(List<OfTable> open) {
    List<OfTable> different = open.stream().filter(table -> table.failed() > 0).toList();
    if (!different.isEmpty()) {
      throw new SluiceException.Fatal(
          different.stream()
              .map(
                  table ->
                      new Problem(
                          "table " + table.table(),
                          "%d of its rows differ on the target".formatted(table.failed()),
                          "rows that are equal",
                          "Make them equal with sluice repair, and run sluice cutover again;"
                              + " sluice_validation_failures_v2 lists them"))
              .toList());
    }
  }

  @Override
  public void close() {
    rounds.ifPresent(TouchedRounds::close);
  }
}
