package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.report.ApplyException;
import dev.sluice.sink.control.suspension.SuspendedTable;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Findings about a rejected window that take effect from its beginning; each one requires another
 * pass. Owned by the apply thread; one for each rejected window.
 */
public final class IsolationFindings {

  /**
   * A table that is suspended from a transaction of the window on.
   *
   * @param exception the rejected change that caused the suspension
   */
  record Suspension(SuspendedTable table, TableId target, ApplyException exception) {}

  /** Ends the current pass because another one is needed. */
  static final class Again extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Again() {
      super(null, null, false, false);
    }
  }

  private final Map<TableId, Suspension> suspensions = new LinkedHashMap<>();

  /** The reason of each change that must be rejected, by its number in the window. */
  private final Map<Long, String> rejections = new HashMap<>();

  void suspend(Suspension suspension) {
    suspensions.put(suspension.table().table(), suspension);
  }

  /**
   * Leaves out tables that somebody else has suspended since the last pass, when nothing held the
   * checkpoint row: the window skips them from its beginning.
   */
  public void leaveOut(Set<TableId> suspended) {
    suspensions.keySet().removeAll(suspended);
  }

  Map<TableId, Suspension> suspensions() {
    return suspensions;
  }

  void reject(long number, String reason) {
    rejections.put(number, reason);
  }

  /** Why a change must be rejected; null if it need not. */
  String rejectionReason(long number) {
    return rejections.get(number);
  }
}
