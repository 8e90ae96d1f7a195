package dev.sluice.engine.fullload;

import dev.sluice.engine.load.LoadPace;
import dev.sluice.engine.progress.ProgressText;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the progress of a full load every ten seconds. Owned by the monitor. */
public final class LoadReport {
  private static final Logger LOG = LoggerFactory.getLogger(LoadReport.class);

  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private Instant due = Instant.MIN;

  /** Logs the progress if that is due. */
  public void log(Instant now, LoadPace.Report load) {
    if (due.equals(Instant.MIN)) {
      due = now.plus(INTERVAL);
    }
    if (!now.isBefore(due) && !load.tables().isEmpty()) {
      due = now.plus(INTERVAL);
      LOG.info("{}", ProgressText.plain(load.all(), load.tables().values()));
    }
  }
}
