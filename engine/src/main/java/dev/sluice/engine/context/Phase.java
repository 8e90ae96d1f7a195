package dev.sluice.engine.context;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Where a task is in its life. */
public enum Phase {
  STARTING,
  /** The task file, both servers and Kafka are looked at. */
  CHECKING,
  /** Publication, slot, topics and target tables are made ready. */
  PREPARING,
  /** Tables are copied at the snapshot; capture fills the journal from the same point on. */
  FULL_LOAD,
  /** All rows are there; indexes are made, and capture fills the journal on. */
  COMPLETING,
  /** What was changed up to the start of the replication is being applied. */
  CATCHING_UP,
  REPLICATING,
  /** A cutover is under way; see the status for its step. */
  CUTTING_OVER,
  /** Nothing more is applied; the daemon waits to be stopped. */
  CUT_OVER,
  STOPPING,
  STOPPED,
  FAILED;

  /** As status and logs spell it: {@code full-load}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether changes are being applied, so that a fence can come out of the sink. */
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
          EnumSet.of(FULL_LOAD, COMPLETING, CATCHING_UP, CUTTING_OVER, CUT_OVER, STOPPING, FAILED);
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
