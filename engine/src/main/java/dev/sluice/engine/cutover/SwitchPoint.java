package dev.sluice.engine.cutover;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.fallback.FallbackGate;
import dev.sluice.sink.control.fallback.FallbackState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The position at which the way back begins, while a cutover runs that may be decided. Does nothing
 * for a task without a way back. Used by the cutover's thread.
 */
final class SwitchPoint implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SwitchPoint.class);

  private final Optional<FallbackGate> gate;
  private final CutoverTask live;
  private final UUID cutover;
  private final List<TableId> targets;
  private final Optional<FallbackState> before;
  private boolean kept;

  private SwitchPoint(
      Optional<FallbackGate> gate,
      CutoverTask live,
      UUID cutover,
      List<TableId> targets,
      Optional<FallbackState> before) {
    this.gate = gate;
    this.live = live;
    this.cutover = cutover;
    this.targets = targets;
    this.before = before;
  }

  /**
   * Announces a cutover, before writers are stopped: from now on the log of the target is kept.
   *
   * @param tables that are cut over, by their names on the source
   * @throws SluiceException if the way back is not armed
   */
  static SwitchPoint announce(
      TaskContext context, CutoverTask live, UUID cutover, List<TableId> tables)
      throws InterruptedException {
    Optional<FallbackGate> gate = FallbackGate.of(context);
    List<TableId> targets =
        tables.stream().map(context.config().tableMappings()::targetOf).toList();
    Optional<FallbackState> before = gate.flatMap(FallbackGate::state);
    gate.ifPresent(back -> requireArmed(back, tables, targets));
    SwitchPoint point = new SwitchPoint(gate, live, cutover, targets, before);
    if (gate.isPresent()) {
      live.underEpoch(claimed -> gate.get().switches().announce(claimed, cutover));
      try {
        gate.get().awaitSeen(cutover);
      } catch (SluiceException | InterruptedException e) {
        point.close();
        throw e;
      }
    }
    return point;
  }

  private static void requireArmed(FallbackGate back, List<TableId> tables, List<TableId> targets) {
    List<Problem> problems = new ArrayList<>(back.problems(targets));
    problems.addAll(back.notTurnedBack(tables));
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  /**
   * @throws SluiceException if the way back is not armed any more
   */
  void requireStill() {
    gate.ifPresent(back -> back.requireStill(before.orElseThrow(), targets));
  }

  /**
   * Takes the position. All that this task has written to the target is before it, and nobody else
   * has written there yet. It is noted before that the source may decide: no row is repaired after
   * that.
   *
   * @throws SluiceException if the way back was removed
   */
  void place() {
    gate.ifPresent(back -> live.underEpoch(claimed -> back.switches().place(claimed, cutover)));
  }

  /** From now on the source may decide the cutover, and only its answer tells. */
  void keep() {
    kept = true;
  }

  /** It was not decided, and never will be. */
  void giveUp() {
    kept = false;
    close();
  }

  /** Without {@link #keep} the cutover was given up before the source was asked. */
  @Override
  public void close() {
    if (kept || gate.isEmpty()) {
      return;
    }
    try {
      live.underEpoch(claimed -> gate.get().switches().voidAll(claimed));
    } catch (SluiceException e) {
      LOG.warn(
          "the way back could not be told that the cutover failed, and keeps the log of the target until"
              + " the next start or cutover: {}",
          e.getMessage());
    }
  }
}
