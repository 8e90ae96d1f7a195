package dev.sluice.target.yugabytedb.workers;

import dev.sluice.config.Counted;
import dev.sluice.config.document.SluiceException;
import dev.sluice.load.target.WorkerAdvice;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a cluster how busy its servers are, and says how many workers may load. It has a session of
 * its own. Owned by the thread that asks; only {@link #abort} may be called from any other.
 */
public final class NodeLoadAdvice implements WorkerAdvice {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLoadAdvice.class);

  private static final Duration INTERVAL = Duration.ofSeconds(10);

  /** The server that is asked itself waits for other servers that do not answer. */
  private static final Duration LONGEST_QUESTION = Duration.ofSeconds(10);

  private final TargetServer target;
  private final int most;
  private final Clock clock;
  private final WorkersByNodeLoad workers;
  private boolean told = true;
  private boolean failed;
  private volatile TargetConnection session;
  private volatile boolean aborted;

  /**
   * @param most the number of workers at the start
   * @param clock one that never goes back
   */
  public NodeLoadAdvice(TargetServer target, int most, Clock clock) {
    this.target = target;
    this.most = most;
    this.clock = clock;
    this.workers = new WorkersByNodeLoad(most, clock.instant());
  }

  @Override
  public Duration interval() {
    return INTERVAL;
  }

  @Override
  public int workers(int working) {
    if (told && !aborted) {
      List<NodeLoad> loads = ask();
      if (told && !aborted && workers.poll(clock.instant(), loads, working)) {
        LOG.info(
            "{} may load from now on, {} do: {}",
            Counted.of(workers.workers(), "worker"),
            working,
            workers.why());
      }
    }
    return told ? workers.workers() : most;
  }

  /** The servers that have answered; none if the query has failed. */
  private List<NodeLoad> ask() {
    try {
      if (session == null) {
        session = target.connect();
        session.jdbc().setNetworkTimeout(Runnable::run, (int) LONGEST_QUESTION.toMillis());
      }
      if (aborted) {
        return List.of();
      }
      List<NodeLoad> loads = NodeLoads.read(session.jdbc());
      session.rollback();
      if (failed) {
        failed = false;
        LOG.info("the cluster says again how busy its servers are");
      }
      return loads;
    } catch (SQLException e) {
      if (NodeLoads.isNotTold(e)) {
        told = false;
        LOG.info(
            "{} load all the time, as the cluster does not report how busy its servers are: {}",
            Counted.of(most, "worker"),
            e.getMessage());
      } else {
        failed(e);
      }
    } catch (SluiceException e) {
      failed(e);
    }
    close();
    return List.of();
  }

  private void failed(Exception error) {
    if (!failed && !aborted) {
      failed = true;
      LOG.warn(
          "the cluster does not say how busy its servers are; the load goes on, and it is asked"
              + " again: {}",
          error.getMessage());
    }
  }

  @Override
  public void abort() {
    aborted = true;
    TargetConnection open = session;
    if (open != null) {
      open.abort();
    }
  }

  @Override
  public void close() {
    TargetConnection open = session;
    session = null;
    if (open != null) {
      open.close();
    }
  }
}
