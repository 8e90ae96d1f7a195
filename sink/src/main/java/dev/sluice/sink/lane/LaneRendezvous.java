package dev.sluice.sink.lane;

import dev.sluice.connector.api.Position;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lets the lanes of a task wait for each other. The main lane alone applies a transaction that
 * alters tables, with the rows of all tables, once every other lane has applied everything before
 * it. The other lanes continue after it. Threadsafe: each value is written by one lane.
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

  /**
   * Records that the lane has applied everything before the transaction at the position, and waits.
   */
  public void arrive(LaneId lane, Position at) {
    arrived.put(lane, at);
  }

  /** True if every other lane waits before the transaction at the position. */
  public boolean haveAllArrived(Position at) {
    return others.stream().allMatch(lane -> at.equals(arrived.get(lane)));
  }

  /**
   * Records that the main lane has applied the transaction at the position and advanced every
   * checkpoint.
   */
  public void pass(Position at) {
    passed = at;
  }

  public boolean isPassed(Position at) {
    return !at.isAfter(passed);
  }
}
