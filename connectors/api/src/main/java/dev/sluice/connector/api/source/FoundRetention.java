package dev.sluice.connector.api.source;

import dev.sluice.config.document.Problem;

/**
 * What exists on the source under the name of a {@link LogRetention}, and its reader. It may belong
 * to another database, program or task. Immutable; its {@code toString} is for messages.
 */
public interface FoundRetention {

  String name();

  /** Whether it is certainly not the task's. */
  boolean isForeignTo(TaskMark mark);

  /** The problem that it belongs to another owner and must not be used. */
  Problem leftAlone();

  /**
   * The problem that the target has no record that the task created it.
   *
   * @param loads whether the task begins with a load, so that it creates one itself in any case
   */
  Problem notRecorded(boolean loads);
}
