package dev.sluice.target.yugabytedb.workers;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/*
 * The limits of yb-voyager: a server that is above 90 % at one poll or above 70 % at three, or short
 * of memory, is busy. The busiest one counts, since a table may have all its tablets on one. Between
 * 60 and 70 % the number stays, so that it does not swing.
 */
/**
 * Decides how many workers may load a cluster, by how busy its servers are: one more or fewer at a
 * time, from 1 to a bound. Pure: the time is passed in. Not threadsafe.
 */
final class WorkersByNodeLoad {
  private static final int FULL = 90;
  private static final int BUSY = 70;
  private static final int IDLE = 60;
  private static final int POLLS = 3;

  /** The age after which reports of the servers are ignored. */
  private static final Duration OUTDATED = Duration.ofMinutes(1);

  /** How long a server that was busy and has not answered since is still taken for busy. */
  private static final Duration BUSY_IN_SILENCE = Duration.ofMinutes(10);

  private final int most;
  private int workers;
  private String why = "";

  /** When each server answered last, for servers that were busy then. */
  private final Map<String, Instant> busy = new HashMap<>();

  /** How busy the processors of each server were at the last polls, for servers that answer. */
  private final Map<String, Deque<Integer>> polls = new HashMap<>();

  private Instant answered;

  /**
   * @param most the number of workers at the start, and the maximum
   */
  WorkersByNodeLoad(int most, Instant now) {
    this.most = most;
    this.workers = most;
    this.answered = now;
  }

  int workers() {
    return workers;
  }

  /** Why the number was changed, with the figures, for messages. */
  String why() {
    return why;
  }

  /**
   * Takes the figures of a poll.
   *
   * @param nodes the servers that have answered; also empty if the query failed
   * @param working how many workers load at present: while they are more than allowed, an earlier
   *     decision has not taken effect yet
   * @return whether the number has changed
   */
  boolean poll(Instant now, List<NodeLoad> nodes, int working) {
    busy.values().removeIf(last -> last.plus(BUSY_IN_SILENCE).isBefore(now));
    if (nodes.isEmpty()) {
      return busy.isEmpty()
          && Duration.between(answered, now).compareTo(OUTDATED) >= 0
          && change(1, now, "no server has said for %s s how busy it is", OUTDATED.toSeconds());
    }
    answered = now;
    note(now, nodes);
    String figures = nodes.stream().map(NodeLoad::toString).collect(Collectors.joining(", "));
    if (nodes.stream().anyMatch(this::isBusy)) {
      return working <= workers && change(-1, now, "servers are busy: %s", figures);
    }
    return busy.isEmpty()
        && nodes.stream().allMatch(this::isIdle)
        && change(1, now, "the servers are not busy: %s", figures);
  }

  private void note(Instant now, List<NodeLoad> nodes) {
    polls.keySet().retainAll(nodes.stream().map(NodeLoad::node).toList());
    for (NodeLoad node : nodes) {
      Deque<Integer> last = polls.computeIfAbsent(node.node(), any -> new ArrayDeque<>());
      last.add(node.processors());
      if (last.size() > POLLS) {
        last.remove();
      }
      if (isBusy(node)) {
        busy.put(node.node(), now);
      } else {
        busy.remove(node.node());
      }
    }
  }

  private boolean isBusy(NodeLoad node) {
    Deque<Integer> last = polls.get(node.node());
    return node.memoryShort()
        || node.processors() > FULL
        || last.size() == POLLS && last.stream().allMatch(used -> used > BUSY);
  }

  private boolean isIdle(NodeLoad node) {
    Deque<Integer> last = polls.get(node.node());
    return last.size() == POLLS && last.stream().allMatch(used -> used < IDLE);
  }

  /** Reports from before a change say nothing about its effect. */
  private boolean change(int by, Instant now, String reason, Object figures) {
    int next = Math.max(1, Math.min(most, workers + by));
    if (next == workers) {
      return false;
    }
    workers = next;
    why = reason.formatted(figures);
    polls.clear();
    answered = now;
    return true;
  }
}
