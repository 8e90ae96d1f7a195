package dev.sluice.engine.daemon;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.SettingChange;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.logging.LogLevels;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.Scrape;
import dev.sluice.engine.status.TaskControl;
import dev.sluice.engine.status.TaskStatus;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Answers the commands of clients, each by the part of the daemon that it concerns. Threadsafe. */
final class DaemonCommands implements TaskControl {

  /**
   * The parts that answer.
   *
   * @param awaited answers {@code sluice wait}
   */
  record Parts(
      DaemonStatus status,
      TableCommands tables,
      CutoverCommands cutovers,
      AwaitedChanges awaited,
      CurrentReplication replication,
      StopRequest stop) {}

  private final TaskContext context;
  private final Parts parts;
  private final Clock clock;
  private final LogLevels logLevels = new LogLevels();

  DaemonCommands(TaskContext context, Parts parts, Clock clock) {
    this.context = context;
    this.parts = parts;
    this.clock = clock;
  }

  @Override
  public TaskStatus status() {
    return parts.status().status();
  }

  @Override
  public String task() {
    return context.task();
  }

  @Override
  public Scrape scrape() {
    return parts.status().scrape();
  }

  @Override
  public Outcome fence(Duration timeout, boolean exceptSuspended) throws InterruptedException {
    return parts.awaited().await(timeout, exceptSuspended);
  }

  @Override
  public Outcome cutover(CutoverOrder order) throws InterruptedException {
    return parts.cutovers().cutover(order);
  }

  @Override
  public Outcome rehearse(CutoverOrder order) throws InterruptedException {
    return parts.cutovers().rehearse(order);
  }

  @Override
  public CutoverReport cutoverReport(CutoverOrder order) throws InterruptedException {
    return parts.cutovers().report(order);
  }

  @Override
  public Outcome resume(List<TableId> tables) {
    // A table catches up with the others at a fence.
    return notFenced().orElseGet(() -> parts.tables().resume(tables));
  }

  @Override
  public Outcome validate(List<TableId> tables, Optional<UUID> record) throws InterruptedException {
    return parts.tables().validate(tables, record);
  }

  @Override
  public Outcome repair(List<TableId> tables, boolean deleteExtra) throws InterruptedException {
    return parts.tables().repair(tables, deleteExtra);
  }

  @Override
  public Outcome resync(List<TableId> tables, boolean deleteExtra) throws InterruptedException {
    return parts.tables().resync(tables, deleteExtra);
  }

  @Override
  public Outcome reload(List<TableId> tables) {
    return notFenced().orElseGet(() -> parts.tables().reload(tables));
  }

  /** The refusal of what needs fences, for a source that has none. */
  private Optional<Outcome> notFenced() {
    return context
        .source()
        .notFenced()
        .map(problem -> new Outcome(false, 0, problem.toString(), List.of()));
  }

  @Override
  public Outcome retry() {
    String problem = status().problem();
    context.retries().ask();
    parts.replication().get().ifPresent(Replication::retryNow);
    return new Outcome(
        true,
        0,
        problem == null
            ? "no problem is known; every waiting retry is made at once"
            : "tried again at once: " + problem,
        List.of());
  }

  @Override
  public Outcome tune(Map<String, String> values) {
    List<SettingChange> changes;
    try {
      changes = context.live().tune(values, clock.instant());
    } catch (SluiceException.Fatal e) {
      return new Outcome(
          false, 0, "nothing is changed:", e.problems().stream().map(Problem::toString).toList());
    }
    String message =
        changes.isEmpty()
            ? "these values were in effect already; they stay until the daemon ends"
            : "in effect from the next window on, until the daemon ends; to keep it, write it into"
                + " the task settings ("
                + context.config().files()
                + ") as well:";
    return new Outcome(true, 0, message, changes.stream().map(SettingChange::toString).toList());
  }

  @Override
  public Outcome logging(Map<String, String> levels) {
    if (levels.isEmpty()) {
      return new Outcome(true, 0, "levels of the log, by package:", logLevels.lines());
    }
    try {
      return new Outcome(true, 0, "in effect until the daemon ends:", logLevels.set(levels));
    } catch (SluiceException.Fatal e) {
      return new Outcome(
          false, 0, "nothing is changed:", e.problems().stream().map(Problem::toString).toList());
    }
  }

  @Override
  public void stop(boolean drop) {
    parts.stop().ask(drop);
  }
}
