package dev.sluice.bench.peer;

import dev.sluice.bench.run.Contender;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Backlog;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.embedded.EmbeddedBroker;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A contender: Sluice's sink alone, from a filled journal. Measured from its start to the last row
 * visible on the target. CPU seconds of the target's server and of this process, which holds broker
 * and sink.
 */
public final class SluiceApply implements Contender {
  private static final String SLOT = "journal";

  private final ServerPair servers;
  private final EmbeddedBroker broker;
  private final TaskSettings tuning;
  private final boolean batch;
  private final int lanes;
  private final Duration limit;
  private final PrintStream out;
  private FilledJournal journal;

  /**
   * @param broker stays the caller's
   * @param batch BatchApplyEnabled; false is the transactional mode
   * @param lanes connections that apply beside each other
   * @param limit of one run, and of the filling
   */
  public SluiceApply(
      ServerPair servers,
      EmbeddedBroker broker,
      boolean batch,
      int lanes,
      Duration limit,
      PrintStream out) {
    this.servers = servers;
    this.broker = broker;
    this.tuning = TaskSettings.DEFAULTS.with(TargetMetadata.BATCH_APPLY_ENABLED, batch);
    this.batch = batch;
    this.lanes = lanes;
    this.limit = limit;
    this.out = out;
  }

  @Override
  public String name() {
    return "Sluice, apply of the filled journal"
        + (batch ? "" : ", transactional mode")
        + (lanes == 1 ? "" : ", " + lanes + " lanes");
  }

  @Override
  public List<String> slots(int runs) {
    return List.of(SLOT);
  }

  @Override
  public void prepare(Database source, Backlog backlog) throws Exception {
    journal = FilledJournal.fill(broker, source, SLOT, backlog, limit);
    out.println(
        String.format(
            Locale.ROOT,
            "journal filled in %.1f s, %,.0f changes/s",
            journal.captured().toMillis() / 1e3,
            backlog.changes() / (journal.captured().toNanos() / 1e9)));
  }

  @Override
  public Measurement drain(Database source, Database target, Backlog backlog, int run)
      throws Exception {
    return journal.drain(
        target, backlog, tuning, lanes, servers.newFolder("swap"), limit, servers::targetCpu);
  }
}
