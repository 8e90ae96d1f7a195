package dev.sluice.engine.daemon;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFiles;
import dev.sluice.engine.context.LiveSettings;
import dev.sluice.engine.context.PeriodicTask;
import java.time.Clock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the files of a running task once a second, and passes edited settings on. Runs on its own
 * thread.
 */
final class SettingsWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SettingsWatch.class);

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final LiveSettings settings;
  private final Clock clock;
  private final PeriodicTask polling;
  private final FileEdits edits = new FileEdits();
  private TaskFiles files;

  private SettingsWatch(TaskFiles files, LiveSettings settings, Clock clock) {
    this.files = files;
    this.settings = settings;
    this.clock = clock;
    this.polling =
        new PeriodicTask(
            "sluice-settings",
            INTERVAL,
            this::poll,
            e -> LOG.warn("the files of the task cannot be read: {}", e.toString()));
  }

  static SettingsWatch start(TaskFiles files, LiveSettings settings, Clock clock) {
    SettingsWatch watch = new SettingsWatch(files, settings, clock);
    watch.polling.start();
    return watch;
  }

  @Override
  public void close() {
    polling.close();
  }

  private void poll() {
    String stamp = files.stamp();
    if (!edits.areDue(stamp, !settings.snapshot().problems().isEmpty())) {
      return;
    }
    try {
      TaskConfig now = files.readAgain();
      files = now.files();
      edits.wereRead(stamp, files.stamp());
      settings.edited(now, clock.instant());
    } catch (SluiceException.Fatal e) {
      edits.wereRead(stamp, stamp);
      settings.unsound(e.problems());
    }
  }
}
