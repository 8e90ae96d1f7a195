package dev.sluice.engine.context;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The phases of a task, in the order in which they usually follow each other. */
public enum Phase {
  STARTING,
  /** The task file, both servers and Kafka are checked. */
  CHECKING,
  /** Publication, slot, topics and target tables are prepared. */
  PREPARING,
  /** The way back of a task: everything is prepared, and it waits for the task's cutover. */
  ARMED,
  /** Tables are copied at the snapshot; the capture fills the journal from the same position on. */
  FULL_LOAD,
  /** All rows are copied; indexes are created, and the capture continues to fill the journal. */
  COMPLETING,
  /** Changes committed before the replication started are being applied. */
  CATCHING_UP,
  REPLICATING,
  /** A cutover is running; the status shows its step. */
  CUTTING_OVER,
  /** No more changes are applied; the daemon waits for the stop command. */
  CUT_OVER,
  STOPPING,
  STOPPED,
  FAILED;

  /** The name in status and logs, such as {@code full-load}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether changes are being applied, so that a fence can pass the sink. */
  public boolean applies() {
    return this == CATCHING_UP || this == REPLICATING || this == CUTTING_OVER;
  }

  boolean mayBecome(Phase next) {
    return next().contains(next);
  }

  private Set<Phase> next() {
    return switch (this) {
      case STARTING -> EnumSet.of(CHECKING, STOPPING, FAILED);
      case CHECKING -> EnumSet.of(PREPARING, STOPPING, FAILED);
      case PREPARING ->
          EnumSet.of(
              ARMED, FULL_LOAD, COMPLETING, CATCHING_UP, CUTTING_OVER, CUT_OVER, STOPPING, FAILED);
      case ARMED -> EnumSet.of(CATCHING_UP, STOPPING, FAILED);
      case FULL_LOAD -> EnumSet.of(PREPARING, COMPLETING, CATCHING_UP, STOPPING, FAILED);
      case COMPLETING -> EnumSet.of(PREPARING, CATCHING_UP, STOPPING, FAILED);
      case CATCHING_UP -> EnumSet.of(REPLICATING, STOPPING, FAILED);
      case REPLICATING -> EnumSet.of(CATCHING_UP, CUTTING_OVER, STOPPING, FAILED);
      case CUTTING_OVER -> EnumSet.of(REPLICATING, CUT_OVER, STOPPING, FAILED);
      case CUT_OVER -> EnumSet.of(STOPPING, FAILED);
      case STOPPING -> EnumSet.of(STOPPED, FAILED);
      case STOPPED, FAILED -> EnumSet.noneOf(Phase.class);
    };
  }
}
