package dev.sluice.engine.context;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.SettingChange;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.task.RunningSettings;
import dev.sluice.config.task.RunningSettings.Origin;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.sink.SinkSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings in effect in a running task, with their last changes. Changed one at a time, by the
 * watch over the task's files and by {@code sluice tune}. Any thread may read them.
 */
public final class LiveSettings {
  private static final Logger LOG = LoggerFactory.getLogger(LiveSettings.class);

  private static final int REMEMBERED_CHANGES = 20;

  private final Function<RunningSettings, SinkSettings> sinkOf;
  private final Function<TaskSettings, Optional<Problem>> impossible;
  private volatile Snapshot snapshot;

  /**
   * @param sinkOf makes the sink's settings from those in effect
   * @param impossible finds the problem of settings that the target does not support
   */
  LiveSettings(
      TaskConfig config,
      Function<RunningSettings, SinkSettings> sinkOf,
      Function<TaskSettings, Optional<Problem>> impossible) {
    this.sinkOf = sinkOf;
    this.impossible = impossible;
    RunningSettings running = RunningSettings.of(config);
    this.snapshot = new Snapshot(running, sinkOf.apply(running), List.of(), List.of());
  }

  public Snapshot snapshot() {
    return snapshot;
  }

  /** The sink's settings; the same object until a setting changes. */
  SinkSettings sink() {
    return snapshot.sink();
  }

  /**
   * Sets values by command, in effect until the daemon ends.
   *
   * @param orders values by setting name
   * @return the settings that changed
   * @throws SluiceException.Fatal with the problems of all values; then none has changed
   */
  public synchronized List<SettingChange> tune(Map<String, String> orders, Instant now) {
    return take(snapshot.running().tuned(orders), Origin.TUNE, snapshot.problems(), now);
  }

  /**
   * Applies an edit of the files, as far as a running task can; an invalid edit changes nothing.
   */
  public synchronized void edited(TaskConfig files, Instant now) {
    try {
      RunningSettings next = snapshot.running().edited(files);
      List<String> waiting = next.waitingForRestart();
      if (!waiting.equals(snapshot.running().waitingForRestart())) {
        waiting.forEach(line -> LOG.warn("takes effect at the next start of the task: {}", line));
      }
      if (!snapshot.problems().isEmpty()) {
        LOG.info("the task's files are valid again");
      }
      take(next, Origin.FILE, List.of(), now);
    } catch (SluiceException.Fatal e) {
      unsound(e.problems());
    }
  }

  /** Records that the files are invalid; the settings stay as they are. */
  public synchronized void unsound(List<Problem> problems) {
    if (!problems.equals(snapshot.problems())) {
      LOG.warn(
          "an edit of the task's files has {} problems; the running settings stay in effect",
          problems.size());
      problems.forEach(problem -> LOG.warn("{}", problem));
      snapshot =
          new Snapshot(
              snapshot.running(), snapshot.sink(), snapshot.changes(), List.copyOf(problems));
    }
  }

  private List<SettingChange> take(
      RunningSettings next, Origin origin, List<Problem> problems, Instant now) {
    // Settings with which the task was started are not a problem of the change.
    impossible
        .apply(next.inEffect())
        .filter(any -> impossible.apply(snapshot.running().inEffect()).isEmpty())
        .ifPresent(
            problem -> {
              throw new SluiceException.Fatal(problem);
            });
    List<SettingChange> changes = snapshot.running().changesTo(next);
    List<Change> all = new ArrayList<>(snapshot.changes());
    for (SettingChange change : changes) {
      LOG.info("setting changed ({}): {}", origin, change);
      all.add(new Change(now, origin, change));
    }
    snapshot =
        new Snapshot(
            next,
            changes.isEmpty() ? snapshot.sink() : sinkOf.apply(next),
            List.copyOf(all.subList(Math.max(0, all.size() - REMEMBERED_CHANGES), all.size())),
            problems);
    return changes;
  }

  /** A setting that changed while the task ran. Immutable. */
  public record Change(Instant at, Origin origin, SettingChange change) {}

  /**
   * The settings at one moment. Immutable.
   *
   * @param changes the last ones, oldest first
   * @param problems of the files as they are now; empty if they are valid
   */
  public record Snapshot(
      RunningSettings running, SinkSettings sink, List<Change> changes, List<Problem> problems) {}
}
