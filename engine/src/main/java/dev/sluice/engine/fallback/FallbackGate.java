package dev.sluice.engine.fallback;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.retry.Polling;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.context.CutoverMemory;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.fallback.FallbackState;
import dev.sluice.sink.control.fallback.FallbackStateStore;
import dev.sluice.sink.control.fallback.Switch;
import dev.sluice.sink.control.fallback.SwitchStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What a task with a way back asks it, and tells it, in a cutover: whether it is armed, and where
 * it begins. Threadsafe.
 */
public final class FallbackGate {
  /** A daemon that has not written for so long is not there. */
  private static final Duration FRESH = Duration.ofSeconds(10);

  /** Its daemon looks each second, and a canary may take some. */
  private static final Duration SEEN_WITHIN = Duration.ofSeconds(30);

  private static final Polling POLLING = Polling.every(Duration.ofMillis(100));
  private static final int NAMED_AT_MOST = 20;

  private final String task;
  private final TableMappings there;
  private final TableMappings back;
  private final FallbackStateStore states;
  private final SwitchStore switches;

  private FallbackGate(TaskContext context) {
    this.task = context.task();
    this.there = context.config().tableMappings();
    this.back = context.config().reversed().tableMappings();
    this.states = new FallbackStateStore(context.target(), context.controlSchema(), context.task());
    this.switches = new SwitchStore(context.target(), context.controlSchema(), context.task());
  }

  /** The gate of a task; empty if its file has no section fallback. */
  public static Optional<FallbackGate> of(TaskContext context) {
    return context.config().fallback().map(any -> new FallbackGate(context));
  }

  public SwitchStore switches() {
    return switches;
  }

  /** The state of the way back; empty if its daemon never armed it. */
  public Optional<FallbackState> state() {
    return states.read();
  }

  /**
   * Why the way back is not armed for these tables; empty if it is.
   *
   * @param tables of the target, all that applications will write to
   */
  public List<Problem> problems(Collection<TableId> tables) {
    return problems(states.read(), tables);
  }

  /**
   * The tables of the source that would not come back as themselves, by the names that the rules
   * give; empty if all would.
   *
   * @param sources the tables that are cut over
   */
  public List<Problem> notTurnedBack(Collection<TableId> sources) {
    return sources.stream()
        .filter(
            source -> {
              TableId target = there.targetOf(source);
              return !back.selects(target) || !back.targetOf(target).equals(source);
            })
        .map(
            source ->
                new Problem(
                    "way back of task " + task,
                    "table %s becomes %s, which the way back %s"
                        .formatted(
                            source,
                            there.targetOf(source),
                            back.selects(there.targetOf(source))
                                ? "takes for " + back.targetOf(there.targetOf(source))
                                : "does not take"),
                    "each table under its own name when it comes back",
                    "Correct the transformation rules, such as one for a table that is not there"))
        .toList();
  }

  /**
   * The same by a state that was read.
   *
   * @param found empty if its daemon never armed it
   */
  List<Problem> problems(Optional<FallbackState> found, Collection<TableId> tables) {
    if (found.isEmpty()) {
      return List.of(notArmed("no daemon has armed it"));
    }
    FallbackState state = found.get();
    List<Problem> problems = new ArrayList<>();
    state.problem().ifPresent(problem -> problems.add(notArmed(problem)));
    if (state.age().compareTo(FRESH) > 0) {
      problems.add(
          notArmed("its daemon last answered %d s ago".formatted(state.age().toSeconds())));
    }
    if (problems.isEmpty() && state.roundTrip().isEmpty()) {
      problems.add(notArmed("no canary has come back yet"));
    }
    List<TableId> missing =
        tables.stream().filter(table -> !state.covered().contains(table)).sorted().toList();
    if (!missing.isEmpty()) {
      problems.add(
          notArmed(
              "it would not carry back the changes of %d tables: %s"
                  .formatted(
                      missing.size(),
                      missing.subList(0, Math.min(NAMED_AT_MOST, missing.size())))));
    }
    return problems;
  }

  /**
   * Waits until the daemon of the way back knows of the cutover: it has read the tables after that,
   * and keeps the log.
   *
   * @throws SluiceException.Fatal if it does not within half a minute; nothing is decided yet
   */
  public void awaitSeen(UUID cutover) throws InterruptedException {
    boolean known =
        POLLING.until(
            SEEN_WITHIN,
            () -> states.read().flatMap(FallbackState::seen).filter(cutover::equals).isPresent());
    if (!known) {
      throw new SluiceException.Fatal(
          notArmed("its daemon does not answer the announcement of the cutover"));
    }
  }

  /**
   * Requires that no way back runs, or may still begin, on a source that is to be opened.
   *
   * @throws SluiceException.Fatal if one does
   */
  public static void requireNoneRuns(TaskContext context) {
    Optional<Switch> open =
        new SwitchStore(context.target(), context.controlSchema(), context.task())
            .open()
            .filter(found -> found.state() != Switch.State.ANNOUNCED);
    if (open.isPresent() && !isBroughtBack(context)) {
      throw new SluiceException.Fatal(
          new Problem(
              "way back of task " + context.task(),
              "carries the changes of the new side to the source: both sides would take writes",
              "a source that is opened by sluice fallback, or a way back that is removed",
              "Nothing is changed. To bring the applications back, run sluice fallback TASK.yaml. To"
                  + " give up the way back, run sluice stop TASK.yaml --drop --fallback before"));
    }
  }

  /**
   * Whether the way back has brought the applications back to the source, where it noted that.
   * Asked with its own role, which made the note.
   */
  public static boolean isBroughtBack(TaskContext context) {
    if (context.config().fallback().isEmpty()) {
      return false;
    }
    TaskConfig back = context.config().reversed();
    return !CutoverMemory.of(back.target(), back.task().text()).isEmpty();
  }

  /**
   * Requires that it is armed, as it was before.
   *
   * @param before as it was when the cutover began
   * @throws SluiceException.Fatal if it is not; nothing is decided yet
   */
  public void requireStill(FallbackState before, Collection<TableId> tables) {
    Optional<FallbackState> now = states.read();
    List<Problem> problems = new ArrayList<>(problems(now, tables));
    if (problems.isEmpty() && !now.map(FallbackState::armed).equals(Optional.of(before.armed()))) {
      problems.add(notArmed("its daemon started again meanwhile"));
    }
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  private Problem notArmed(String found) {
    return new Problem(
        "way back of task " + task,
        "is not armed: " + found,
        "a running daemon of the way back, in phase armed",
        "Run sluice run TASK.yaml --fallback beside this daemon, and see sluice status TASK.yaml"
            + " --fallback. To cut over without a way back, remove the section fallback and start"
            + " the daemon again");
  }
}
