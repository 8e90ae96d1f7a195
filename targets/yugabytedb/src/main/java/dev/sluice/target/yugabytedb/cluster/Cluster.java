package dev.sluice.target.yugabytedb.cluster;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers of a cluster as the process knows them, and its sessions on each. Threadsafe: a
 * thread that opens a session asks the cluster for its servers if that is due, while others use the
 * known ones.
 */
public final class Cluster {
  private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);

  /** Opens a session. */
  public interface Opening {

    /**
     * @param driversUrl with one or several hosts
     * @param closed runs when the session ends
     */
    Connection open(String driversUrl, Runnable closed) throws SQLException;
  }

  private final ClusterUrl url;
  private final Spread spread;
  private final Predicate<SQLException> isAway;
  private final Clock clock;

  private final AtomicInteger turn = new AtomicInteger();
  private final Map<String, AtomicInteger> sessions = new ConcurrentHashMap<>();
  private final Map<String, Leave> left = new ConcurrentHashMap<>();

  /** Unreachable servers that are being tried again, each by one session at a time. */
  private final Set<String> triedAgain = ConcurrentHashMap.newKeySet();

  private final ReentrantLock asking = new ReentrantLock();

  /** The hosts of the url. */
  private final List<ClusterNode> hosts;

  /** The hosts of the url until the cluster has listed its servers. */
  private volatile List<ClusterNode> nodes;

  private volatile boolean asked;
  private volatile Instant askAgain = Instant.MIN;

  /**
   * @param isAway whether an error means that the server cannot be reached, so that another one
   *     should be tried
   * @param clock one that never goes back
   */
  Cluster(ClusterUrl url, Spread spread, Predicate<SQLException> isAway, Clock clock) {
    this.url = url;
    this.spread = spread;
    this.isAway = isAway;
    this.clock = clock;
    this.hosts =
        url.hosts().stream().map(host -> new ClusterNode(host, Placement.UNKNOWN)).toList();
    this.nodes = hosts;
  }

  /** Opens a session on the preferred server with the fewest sessions. */
  Connection connect(Opening opening) throws SQLException {
    askWhereDue(opening);
    return open(opening);
  }

  private void askWhereDue(Opening opening) {
    if (clock.instant().isBefore(askAgain)) {
      return;
    }
    if (asked) {
      if (!asking.tryLock()) {
        return;
      }
    } else {
      asking.lock();
    }
    try {
      if (!clock.instant().isBefore(askAgain)) {
        ask(opening);
      }
    } finally {
      asking.unlock();
    }
  }

  private void ask(Opening opening) {
    Duration wait = spread.refresh();
    try (Connection session = open(opening)) {
      List<ClusterNode> found = ClusterNodes.read(session, url.hosts());
      if (!found.isEmpty()) {
        if (!found.equals(nodes)) {
          sayServers(found);
        }
        nodes = found;
      }
    } catch (SQLException e) {
      // A caller that needs a session gets the error when it opens one.
      LOG.debug("ask for the servers of the cluster", e);
      wait = spread.leave();
    }
    asked = true;
    askAgain = clock.instant().plus(wait);
  }

  private void sayServers(List<ClusterNode> found) {
    LOG.info("the cluster has the servers {}", found);
    if (!spread.keys().isNone()
        && found.stream()
            .allMatch(node -> spread.keys().preferenceOf(node.placement()).isEmpty())) {
      LOG.warn(
          "no server is in the placements {} of {}; sessions go to {}",
          spread.keys(),
          ClusterUrl.TOPOLOGY_KEYS,
          spread.keysOnly() ? "the hosts of the url" : "all servers");
    }
  }

  private Connection open(Opening opening) throws SQLException {
    SQLException last = null;
    for (ClusterNode node :
        NodeOrder.of(
            nodes, hosts, spread, this::sessionsOn, this::isLeft, turn.getAndIncrement())) {
      boolean again = left.containsKey(node.address()) && triedAgain.add(node.address());
      try {
        return openOn(node, opening);
      } catch (SQLException e) {
        if (!isAway.test(e)) {
          throw e;
        }
        leave(node, e);
        last = e;
      } finally {
        if (again) {
          triedAgain.remove(node.address());
        }
      }
    }
    throw last;
  }

  private Connection openOn(ClusterNode node, Opening opening) throws SQLException {
    AtomicInteger count = sessions.computeIfAbsent(node.address(), any -> new AtomicInteger());
    count.incrementAndGet();
    boolean opened = false;
    try {
      Connection session =
          opening.open(url.ofDriver(List.of(node.address())), count::decrementAndGet);
      opened = true;
      if (left.remove(node.address()) != null) {
        LOG.info("server {} of the cluster answers again", node.address());
      }
      return session;
    } finally {
      if (!opened) {
        count.decrementAndGet();
      }
    }
  }

  private int sessionsOn(ClusterNode node) {
    AtomicInteger count = sessions.get(node.address());
    return count == null ? 0 : count.get();
  }

  private boolean isLeft(ClusterNode node) {
    Leave leave = left.get(node.address());
    return leave != null && (!leave.isOver(clock.instant()) || triedAgain.contains(node.address()));
  }

  private void leave(ClusterNode node, SQLException why) {
    Instant now = clock.instant();
    Leave before = left.get(node.address());
    if (before != null && !before.isOver(now)) {
      return;
    }
    Leave next = before == null ? Leave.first(spread.leave(), now) : before.again(now);
    left.put(node.address(), next);
    if (before == null) {
      LOG.warn(
          "server {} of the cluster does not answer; sessions go to other servers first, for {} s, and longer after each failure: {}",
          node.address(),
          next.time().toSeconds(),
          why.getMessage());
    }
    if (!next.isOver(now)) {
      // The cluster's list may have changed as well.
      askAgain = Instant.MIN;
    }
  }
}
