package dev.sluice.engine.cutover.hook;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.ExecHookConfig;
import dev.sluice.config.task.HookConfig;
import dev.sluice.config.task.PgbouncerHookConfig;
import dev.sluice.config.task.TaskConfig;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hooks of a task's cutover, in the order of the task file. A hook that fails is a value of the
 * report and never an exception. Threadsafe: one thread at a time holds applications or lets them
 * go.
 */
public final class CutoverHooks {
  private static final Logger LOG = LoggerFactory.getLogger(CutoverHooks.class);

  private final List<CutoverHook> hooks;
  private final PauseNotes notes;
  private final Clock intervals = new MonotonicClock();

  /** The hooks whose pause was noted, and that have not let go since. */
  private final Set<String> holding = new HashSet<>();

  CutoverHooks(List<CutoverHook> hooks, PauseNotes notes) {
    this.hooks = List.copyOf(hooks);
    this.notes = notes;
  }

  /** The hooks of the task file. */
  public static CutoverHooks of(TaskConfig config, PauseNotes notes) {
    return new CutoverHooks(
        config.cutover().hooks().stream()
            .map(hook -> hook(hook, config.task().text(), config.target()))
            .toList(),
        notes);
  }

  private static CutoverHook hook(HookConfig config, String task, Endpoint target) {
    if (config instanceof ExecHookConfig exec) {
      return new ExecHook(exec, task, target);
    }
    return new PgbouncerHook((PgbouncerHookConfig) config);
  }

  public boolean isEmpty() {
    return hooks.isEmpty();
  }

  /**
   * Whether all hooks could run now. Changes nothing, and runs no command of the user. The output
   * of each result has the warnings.
   *
   * @param budget of the cutover
   */
  public HookReport check(Duration budget) throws InterruptedException {
    List<HookResult> results = new ArrayList<>();
    Map<String, String> open = notes.open();
    for (CutoverHook hook : hooks) {
      results.add(run(hook, HookAction.CHECK, () -> check(hook, budget, open)));
    }
    return new HookReport(results);
  }

  /** What we hold ourselves must not be taken for somebody else's. */
  private List<String> check(CutoverHook hook, Duration budget, Map<String, String> open)
      throws HookFailure, InterruptedException {
    if (open.containsKey(hook.name())) {
      throw new HookFailure(
          "it may hold the applications now: a cutover or a rehearsal of this task runs, or could"
              + " not let them go",
          "applications that go on",
          "Wait: it is tried again as long as the daemon runs. By hand: " + open.get(hook.name()),
          List.of());
    }
    return hook.check(longestPause(budget), hook.timeout());
  }

  /** Until the decision the budget counts; after it, switch and resume of each hook. */
  private Duration longestPause(Duration budget) {
    return hooks.stream()
        .map(hook -> hook.timeout().multipliedBy(2))
        .reduce(budget, Duration::plus);
  }

  /**
   * Holds the applications, hook by hook. If one fails, it and those before it let go again, and
   * the report has that too.
   *
   * @param cutover the cutover's id, for commands of the user
   * @param budget what is left of the cutover's budget
   * @throws InterruptedException after all have let go
   */
  public synchronized HookReport pause(String cutover, Duration budget)
      throws InterruptedException {
    Instant deadline = intervals.instant().plus(budget);
    List<HookResult> results = new ArrayList<>();
    try {
      for (CutoverHook hook : hooks) {
        HookResult result =
            run(hook, HookAction.PAUSE, () -> pause(hook, cutover, budget, deadline));
        results.add(result);
        if (result.failure().isPresent()) {
          results.addAll(resume(cutover, CutoverOutcome.RELEASED).results());
          break;
        }
      }
    } catch (InterruptedException e) {
      resume(cutover, CutoverOutcome.RELEASED);
      throw e;
    }
    return new HookReport(results);
  }

  private List<String> pause(CutoverHook hook, String cutover, Duration budget, Instant deadline)
      throws HookFailure, InterruptedException {
    if (hook.byHand().isPresent()) {
      // What somebody else holds must not be noted as ours, or it would be resumed as ours.
      refuseHeld(hook);
      hook.check(longestPause(budget), left(hook, deadline));
      notes.note(hook.name(), hook.byHand().get());
      holding.add(hook.name());
    }
    return hook.pause(new HookCall(cutover, Optional.empty(), left(hook, deadline)));
  }

  private void refuseHeld(CutoverHook hook) throws HookFailure, InterruptedException {
    Map<String, String> open = notes.open();
    if (open.containsKey(hook.name())) {
      check(hook, Duration.ZERO, open);
    }
  }

  private Duration left(CutoverHook hook, Instant deadline) throws HookFailure {
    Duration left = Duration.between(intervals.instant(), deadline);
    if (left.isNegative() || left.isZero()) {
      throw new HookFailure(
          "not begun, since the budget is used up",
          "a budget that is long enough for all hooks",
          "Give the cutover a longer budget",
          List.of());
    }
    return left.compareTo(hook.timeout()) < 0 ? left : hook.timeout();
  }

  /**
   * Points the applications at the target, hook by hook; after the decision only. A hook that fails
   * keeps no other from running. Each has its own timeout, since nothing can be given up any more.
   */
  public synchronized HookReport switchOver(String cutover) throws InterruptedException {
    List<HookResult> results = new ArrayList<>();
    for (CutoverHook hook : hooks) {
      HookCall call = new HookCall(cutover, Optional.of(CutoverOutcome.MOVED), hook.timeout());
      results.add(run(hook, HookAction.SWITCH, () -> hook.switchOver(call)));
    }
    return new HookReport(results);
  }

  /**
   * Lets the applications go that {@link #pause} holds, in reverse order. Does so also if the
   * thread is interrupted, which it then stays. A hook that fails keeps its note, and {@link
   * #resumeLeft} tries again.
   */
  public synchronized HookReport resume(String cutover, CutoverOutcome outcome) {
    return resume(cutover, outcome, Set.copyOf(holding));
  }

  /**
   * Lets the applications go that an earlier daemon left held; at every start, before anything
   * else. Nothing is done if there is none. If the cutover was decided and its end is not recorded,
   * {@link #switchOver} belongs before it.
   *
   * @throws SluiceException if the notes cannot be read
   */
  public synchronized HookReport resumeLeft(String cutover, CutoverOutcome outcome) {
    Map<String, String> open = new TreeMap<>(notes.open());
    List<HookResult> results = new ArrayList<>(resume(cutover, outcome, open.keySet()).results());
    hooks.forEach(hook -> open.remove(hook.name()));
    open.forEach((name, byHand) -> results.add(unknown(name, byHand)));
    return new HookReport(results);
  }

  private HookResult unknown(String name, String byHand) {
    Problem problem =
        new Problem(
            thing(name, HookAction.RESUME),
            "it may hold the applications since an earlier cutover, and the task file has no hook"
                + " of that name",
            "the hooks of the cutover that began",
            "Write the hook into the task file again and restart, or let go by hand: " + byHand);
    LOG.error("{}", problem);
    return new HookResult(name, HookAction.RESUME, Duration.ZERO, List.of(), Optional.of(problem));
  }

  private HookReport resume(String cutover, CutoverOutcome outcome, Set<String> names) {
    List<CutoverHook> reversed = new ArrayList<>(hooks);
    Collections.reverse(reversed);
    List<HookResult> results = new ArrayList<>();
    boolean interrupted = Thread.interrupted();
    for (CutoverHook hook : reversed) {
      if (!names.contains(hook.name())) {
        continue;
      }
      HookCall call = new HookCall(cutover, Optional.of(outcome), hook.timeout());
      while (true) {
        try {
          results.add(run(hook, HookAction.RESUME, () -> hook.resume(call)));
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    // Not before all have let go: the target may hang.
    results.replaceAll(this::noted);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return new HookReport(results);
  }

  private HookResult noted(HookResult result) {
    if (result.failure().isPresent()) {
      return result;
    }
    try {
      notes.cleared(result.hook());
      holding.remove(result.hook());
      return result;
    } catch (SluiceException e) {
      Problem problem =
          new Problem(
              thing(result.hook(), HookAction.RESUME),
              "the applications were let go, and that could not be noted: " + e.getMessage(),
              "a target that takes the note",
              "Nothing: they are let go once more");
      LOG.warn("{}", problem);
      return new HookResult(
          result.hook(), result.action(), result.took(), result.output(), Optional.of(problem));
    }
  }

  private interface Step {
    List<String> run() throws HookFailure, InterruptedException;
  }

  private HookResult run(CutoverHook hook, HookAction action, Step step)
      throws InterruptedException {
    Instant begun = intervals.instant();
    List<String> output = List.of();
    Optional<Problem> failure = Optional.empty();
    try {
      output = step.run();
    } catch (HookFailure e) {
      output = e.output();
      failure =
          Optional.of(
              new Problem(thing(hook.name(), action), e.getMessage(), e.expected(), e.fix()));
    } catch (RuntimeException e) {
      failure =
          Optional.of(
              new Problem(
                  thing(hook.name(), action),
                  String.valueOf(e.getMessage()),
                  "a step that ends",
                  "Remove the cause"));
    }
    HookResult result =
        new HookResult(
            hook.name(), action, Duration.between(begun, intervals.instant()), output, failure);
    if (failure.isPresent()) {
      LOG.warn("{}", failure.get());
    } else {
      LOG.info("{}", result.lines().get(0));
    }
    return result;
  }

  private static String thing(String hook, HookAction action) {
    return "hook " + hook + ", " + action.text();
  }
}
