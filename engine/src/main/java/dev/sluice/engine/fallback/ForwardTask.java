package dev.sluice.engine.fallback;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.context.CutoverMemory;
import dev.sluice.engine.context.Sources;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.fallback.FallbackStateStore;
import dev.sluice.sink.control.fallback.SwitchStore;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;
import javax.net.ssl.SSLException;

/**
 * The task whose way back this daemon is: where it keeps its state, and its source, which decides
 * cutovers. Threadsafe.
 */
public final class ForwardTask {
  private static final String NO_DATABASE = "3D000";

  /** The server has rejected the connection. */
  private static final String REFUSED = "08004";

  private final TaskConfig config;
  private final TargetServer target;
  private final Source source;

  private ForwardTask(TaskConfig config) {
    this.config = config;
    this.target = TargetServers.of(config.target(), "sluice " + config.task(), 0);
    this.source = Sources.unowned(config);
  }

  /** Empty if the configuration is not that of a way back. */
  public static Optional<ForwardTask> of(TaskConfig back) {
    return back.forward().map(ForwardTask::new);
  }

  public String task() {
    return config.task().text();
  }

  SwitchStore switches() {
    return new SwitchStore(target, config.taskSettings().controlSchema(), task());
  }

  /**
   * Requires that the new side does not answer. A server that refuses the login answers: somebody
   * else may write to it.
   *
   * @throws SluiceException.Fatal if it answers
   */
  public void requireLost() {
    try {
      target.connect().close();
    } catch (SluiceException e) {
      if (isGone(e)) {
        return;
      }
      throw new SluiceException.Fatal(answers("it answers: " + e.getMessage()));
    }
    throw new SluiceException.Fatal(answers("it answers, and takes logins"));
  }

  /** No connection, or a server that does not have the database. */
  private static boolean isGone(SluiceException failure) {
    String state = TargetErrors.stateOf(failure);
    boolean refused =
        state.equals(REFUSED)
            || failure.getCause() != null && failure.getCause().getCause() instanceof SSLException;
    return !refused && (state.startsWith("08") || state.equals(NO_DATABASE));
  }

  private Problem answers(String found) {
    return new Problem(
        "new side " + config.target(),
        found,
        "a new side that is gone, and that no application reaches any more",
        "Nothing is changed. Run sluice fallback TASK.yaml: it closes the new side, and proves that"
            + " the old source has everything. If the new side answers and must not be used any"
            + " more, end its server first, so that nobody writes to both sides");
  }

  /** Where the state of the way back is written, for the task to read. */
  public FallbackStateStore states() {
    return new FallbackStateStore(target, config.taskSettings().controlSchema(), task());
  }

  /** Removes what the way back has in the task's control schema; returns whether it had a state. */
  public boolean forget() {
    boolean any = states().remove();
    switches().removeAll();
    new CheckpointStore(target, config.taskSettings().controlSchema()).removeUnused();
    return any;
  }

  /**
   * Requires that the task is still to be cut over: the log of the new side since its cutover is
   * kept only by a way back that was armed before.
   *
   * @throws SluiceException.Fatal if it was cut over
   */
  void requireNotCutOver() {
    SortedMap<TableId, Instant> tables = CutoverMemory.of(config.target(), task());
    if (!tables.isEmpty()) {
      throw new SluiceException.Fatal(
          new Problem(
              "task " + task(),
              "was cut over at %s, and no way back was armed then"
                  .formatted(tables.values().iterator().next()),
              "a way back that is armed before the cutover",
              "There is no way back. For another migration, run sluice forget-cutover TASK.yaml"
                  + " before"));
    }
  }

  /**
   * Requires that the old source has decided a cutover.
   *
   * @throws SluiceException.Fatal if it was not decided
   */
  void requireDecided(UUID cutover, Duration timeout) {
    if (writers().decision(cutover, timeout) != WriterStop.Decision.MOVED) {
      throw new SluiceException.Fatal(
          new Problem(
              "cutover " + cutover + " of task " + task(),
              "the old source says that it was not decided, and the new side says that it was",
              "the same on both sides: one of them was set back to an earlier state",
              "Nothing is carried back. Compare both sides before anything is started again"));
    }
  }

  /**
   * Opens the tables of the old source that the cutover has closed at which the way back began, and
   * those that the way back has made since; repeatable. What other cutovers have closed stays
   * closed.
   *
   * @param back the task of the way back
   * @return those that take writes again
   */
  public List<TableId> openOldSource(TaskContext back) {
    WriterStop.Whose whose = WriterStop.Whose.only(cutover(back));
    List<TableId> opened = new ArrayList<>(openMade(config, whose));
    opened.addAll(writers().reopen(whose).opened());
    return opened;
  }

  /**
   * Opens the tables that the way back of a task has made, with its own role.
   *
   * @param forward with a section fallback
   */
  public static List<TableId> openMade(TaskConfig forward, WriterStop.Whose whose) {
    return Sources.as(forward.reversed().target(), forward)
        .writers()
        .map(writers -> writers.reopenMade(whose))
        .orElse(List.of());
  }

  /** Notes at which cutover the way back begins, where it is found without the new side. */
  static void noteBegin(TaskContext back, Checkpoint claimed, UUID cutover) {
    back.steps()
        .record(claimed, TaskStepNames.FALLBACK, TaskStepNames.FALLBACK_BEGUN, cutover.toString());
  }

  /** Notes that the old source is opened without proof, since the new side was said to be lost. */
  static void noteTargetLost(TaskContext back, Checkpoint claimed, UUID cutover) {
    back.steps()
        .record(
            claimed,
            TaskStepNames.FALLBACK,
            TaskStepNames.FALLBACK_TARGET_LOST,
            cutover.toString());
  }

  /**
   * The cutover at which the way back began.
   *
   * @throws SluiceException.Fatal if there is no note of it
   */
  UUID cutover(TaskContext back) {
    return back.steps()
        .read(back.task(), TaskStepNames.FALLBACK)
        .map(step -> UUID.fromString(step.detail()))
        .orElseThrow(
            () ->
                new SluiceException.Fatal(
                    new Problem(
                        "way back of task " + task(),
                        "the old source has no note of the cutover at which it began",
                        "the step " + TaskStepNames.FALLBACK + " of task " + back.task(),
                        "Nothing is opened. To open what this task has closed, run sluice stop"
                            + " TASK.yaml --drop --fallback, and sluice stop TASK.yaml --drop"
                            + " --reopen-source --yes")));
  }

  /** The writers of the old source, stopped by the user that owns its closed tables. */
  private WriterStop writers() {
    return source.writers().orElseThrow();
  }
}
