package dev.sluice.sink.control.suspension;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.util.Optional;

/** Which suspended tables an order about them is not for, with the mend. Pure. */
final class ResyncRefusals {
  private ResyncRefusals() {}

  /** Why a table cannot be resumed; empty where it can, or is already. */
  static Optional<Problem> ofResume(TableId name, Optional<SuspendedTable> there) {
    if (there.isEmpty()) {
      return Optional.of(
          new Problem(
              "table " + name,
              "is not suspended",
              "a table that sluice status names as suspended",
              "Leave it out; to copy a table anew: sluice reload"));
    }
    SuspendedTable suspended = there.get();
    if (suspended.state() == SuspensionState.RELOADING) {
      return Optional.of(
          new Problem(
              "table " + name,
              "is being reloaded",
              "a suspended table",
              "Leave it out: it catches up by itself when it is copied"));
    }
    if (!suspended.rowsWhole() || !suspended.journaled()) {
      return Optional.of(
          new Problem(
              "table " + name,
              suspended.rowsWhole()
                  ? "lacks changes that the journal, which was made anew, does not have"
                  : "was not copied whole: " + suspended.reason(),
              "rows on the target from which the changes can go on",
              "Reload it: sluice reload"));
    }
    return Optional.empty();
  }

  /** Why a table that catches up is not reloaded. */
  static Problem ofReload(TableId name) {
    return new Problem(
        "table " + name,
        "is catching up at present",
        "a table that is applied, or suspended",
        "Give the order again when it has joined the others; sluice wait waits for that");
  }
}
