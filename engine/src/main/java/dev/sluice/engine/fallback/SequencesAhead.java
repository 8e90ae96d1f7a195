package dev.sluice.engine.fallback;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.load.SequenceCopy;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the sequences of the old source ahead of those of the new side, so that it can be used even
 * if the new side is lost. Its own thread works while changes are carried back.
 */
public final class SequencesAhead {
  private static final Logger LOG = LoggerFactory.getLogger(SequencesAhead.class);

  /** How many values further, for those that the new side gives out between two looks. */
  public static final long MARGIN = 10_000;

  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private final TaskContext context;
  private final PhaseTracker phases;
  private List<Problem> told = List.of();

  private SequencesAhead(TaskContext context, PhaseTracker phases) {
    this.context = context;
    this.phases = phases;
  }

  /**
   * Works while the daemon of a way back runs.
   *
   * @return to be closed with the daemon; does nothing for other tasks
   */
  public static Watch watch(TaskContext context, PhaseTracker phases) {
    if (context.config().forward().isEmpty()) {
      return () -> {};
    }
    SequencesAhead ahead = new SequencesAhead(context, phases);
    PeriodicTask copying =
        new PeriodicTask(
            "sluice-fallback-sequences",
            INTERVAL,
            ahead::copy,
            e -> LOG.warn("the old source's sequences are not set at present: {}", e.getMessage()));
    copying.start();
    return copying::close;
  }

  private void copy() {
    Phase phase = phases.phase();
    if (phase != Phase.CATCHING_UP && phase != Phase.REPLICATING) {
      return;
    }
    List<TableId> tables = context.replicated();
    List<Problem> notSet =
        SequenceCopy.ahead(
                context.source().reader(),
                context.target(),
                tables,
                context.config().tableMappings(),
                MARGIN)
            .notSet();
    if (!notSet.equals(told)) {
      notSet.forEach(problem -> LOG.warn("{}", problem));
      told = notSet;
    }
  }
}
