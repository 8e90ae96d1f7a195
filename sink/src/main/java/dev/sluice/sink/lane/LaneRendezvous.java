package dev.sluice.sink.lane;

import dev.sluice.connector.api.Position;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the lanes of a task wait for each other. A transaction that alters tables is applied by the
 * main lane alone, with the rows of all tables, when every other lane has applied what comes before
 * it; these go on after it. Threadsafe: plain values, each written by one lane.
 */
public final class LaneRendezvous {
  private final Set<LaneId> others;
  private final Map<LaneId, Position> arrived = new ConcurrentHashMap<>();
  private volatile Position passed = Position.ZERO;

  /**
   * @param others the lanes beside the main one
   */
  public LaneRendezvous(Set<LaneId> others) {
    this.others = Set.copyOf(others);
  }

  public Set<LaneId> others() {
    return others;
  }

  /** The lane has applied everything before the transaction at the position, and waits. */
  public void arrive(LaneId lane, Position at) {
    arrived.put(lane, at);
  }

  /** Whether every other lane waits before the transaction at the position. */
  public boolean haveAllArrived(Position at) {
    return others.stream().allMatch(lane -> at.equals(arrived.get(lane)));
  }

  /** The main lane has applied the transaction at the position, and moved every checkpoint. */
  public void pass(Position at) {
    passed = at;
  }

  public boolean isPassed(Position at) {
    return !at.isAfter(passed);
  }
}
