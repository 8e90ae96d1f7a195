package dev.sluice.engine.context;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.SettingChange;
import dev.sluice.config.task.RunningSettings;
import dev.sluice.config.task.RunningSettings.Origin;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.sink.SinkSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings that are in effect in a running task, and how they came to be. Changed by the watch
 * over the files and by orders, one at a time; any thread may look at the last picture.
 */
public final class LiveSettings {
  private static final Logger LOG = LoggerFactory.getLogger(LiveSettings.class);

  private static final int REMEMBERED_CHANGES = 20;

  private final Function<RunningSettings, SinkSettings> sinkOf;
  private volatile Picture picture;

  /**
   * @param sinkOf what the settings mean for the sink
   */
  LiveSettings(TaskConfig config, Function<RunningSettings, SinkSettings> sinkOf) {
    this.sinkOf = sinkOf;
    RunningSettings running = RunningSettings.of(config);
    this.picture = new Picture(running, sinkOf.apply(running), List.of(), List.of());
  }

  public Picture picture() {
    return picture;
  }

  /** What the sink is to use; the same object until something changes. */
  SinkSettings sink() {
    return picture.sink();
  }

  /**
   * Takes values by order, until the daemon ends.
   *
   * @return what changed
   * @throws SluiceException.Fatal with the problems of all orders; nothing changed then
   */
  public synchronized List<SettingChange> tune(Map<String, String> orders, Instant now) {
    return take(picture.running().tuned(orders), Origin.TUNE, picture.problems(), now);
  }

  /** Takes from the files what a running task can take, where it is sound. */
  public synchronized void edited(TaskConfig files, Instant now) {
    try {
      RunningSettings next = picture.running().edited(files);
      List<String> waiting = next.waitingForRestart();
      if (!waiting.equals(picture.running().waitingForRestart())) {
        waiting.forEach(line -> LOG.warn("waits for the next start of the task: {}", line));
      }
      if (!picture.problems().isEmpty()) {
        LOG.info("the files of the task are sound again");
      }
      take(next, Origin.FILE, List.of(), now);
    } catch (SluiceException.Fatal e) {
      unsound(e.problems());
    }
  }

  /** Keeps the settings, since the files cannot be used. */
  public synchronized void unsound(List<Problem> problems) {
    if (!problems.equals(picture.problems())) {
      LOG.warn("an edit has {} problems, the running settings stay", problems.size());
      problems.forEach(problem -> LOG.warn("{}", problem));
      picture =
          new Picture(picture.running(), picture.sink(), picture.changes(), List.copyOf(problems));
    }
  }

  private List<SettingChange> take(
      RunningSettings next, Origin origin, List<Problem> problems, Instant now) {
    List<SettingChange> changes = picture.running().changesTo(next);
    List<Change> all = new ArrayList<>(picture.changes());
    for (SettingChange change : changes) {
      LOG.info("setting changed ({}): {}", origin, change);
      all.add(new Change(now, origin, change));
    }
    picture =
        new Picture(
            next,
            changes.isEmpty() ? picture.sink() : sinkOf.apply(next),
            List.copyOf(all.subList(Math.max(0, all.size() - REMEMBERED_CHANGES), all.size())),
            problems);
    return changes;
  }

  /** A setting that changed while the task ran. Immutable. */
  public record Change(Instant at, Origin origin, SettingChange change) {}

  /**
   * The settings at a time. Immutable.
   *
   * @param changes the last ones, oldest first
   * @param problems of the files as they are now; empty where they are sound
   */
  public record Picture(
      RunningSettings running, SinkSettings sink, List<Change> changes, List<Problem> problems) {}
}
