package dev.sluice.sink.control.suspension;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.util.Optional;

/** Checks whether a table can be resumed or reloaded, and returns the problem if not. Pure. */
public final class ResyncRefusals {
  private ResyncRefusals() {}

  /** Why a table cannot be resumed; empty if it can, or catches up already. */
  public static Optional<Problem> ofResume(TableId name, Optional<SuspendedTable> there) {
    if (there.isEmpty()) {
      return Optional.of(
          new Problem(
              "table " + name,
              "is not suspended",
              "a table that sluice status names as suspended",
              "Omit it; to compare a table and repair what differs: sluice resync TASK.yaml "
                  + name
                  + "; to copy it again: sluice reload"));
    }
    SuspendedTable suspended = there.get();
    if (suspended.state() == SuspensionState.RELOADING) {
      return Optional.of(
          new Problem(
              "table " + name,
              "is being reloaded",
              "a suspended table",
              "Omit it: it catches up by itself when it is copied"));
    }
    if (!suspended.rowsWhole() || !suspended.journaled()) {
      return Optional.of(
          new Problem(
              "table " + name,
              suspended.rowsWhole()
                  ? "lacks changes that the re-created journal does not have"
                  : "was not copied completely: " + suspended.reason(),
              "complete rows on the target, and a journal with all later changes",
              "Make all tables equal again by difference: sluice stop, sluice resync, sluice run."
                  + " Or copy this one again: sluice reload"));
    }
    return Optional.empty();
  }

  /** Why a table that catches up cannot be reloaded. */
  static Problem ofReload(TableId name) {
    return new Problem(
        "table " + name,
        "is catching up at present",
        "a table that is applied, or suspended",
        "Repeat the command when the table has caught up; sluice wait waits for that");
  }
}
