package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.report.ApplyException;
import dev.sluice.sink.control.suspension.SuspendedTable;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was found out about a window that can only be acted on from its beginning: each finding
 * means another pass over it. Owned by the apply thread; one for each window that is isolated.
 */
public final class IsolationFindings {

  /**
   * A table of which nothing is applied from a transaction of the window on.
   *
   * @param exception the change that suspended it
   */
  record Suspension(SuspendedTable table, TableId target, ApplyException exception) {}

  /** Ends a pass that has to be begun again, knowing what was found. */
  static final class Again extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Again() {
      super(null, null, false, false);
    }
  }

  private final Map<TableId, Suspension> suspensions = new LinkedHashMap<>();

  /** By the change's number in the window, why it must be left out. */
  private final Map<Long, String> leftOut = new HashMap<>();

  void suspend(Suspension suspension) {
    suspensions.put(suspension.table().table(), suspension);
  }

  Map<TableId, Suspension> suspensions() {
    return suspensions;
  }

  void leaveOut(long number, String reason) {
    leftOut.put(number, reason);
  }

  /** Why a change must be left out; null where it need not. */
  String whyLeftOut(long number) {
    return leftOut.get(number);
  }
}
