package dev.sluice.engine.status;

import java.util.Locale;

/** The kinds of problems that keep a task from working, for metrics. */
public enum ProblemKind {
  JOURNAL_FULL("The journal has no room, and the capture pauses."),
  SWAP_FULL("An open transaction needs more swap."),
  TARGET_RETRY("The target failed, and the window is tried again."),
  CAPTURE_RETRY("The capture failed beside other work, and is started again."),
  TASK_RETRY("An attempt at the task failed, and the next one waits."),
  TABLES_CHANGED("Tables changed while the work was planned, and it is planned again."),
  DISK("A disk has less room than `GuardProblemHours` says."),
  CUTOVER("A step of the cutover is tried again."),
  HELD("A hook failed, and applications may still be held."),
  SOURCE_WRITTEN("Somebody wrote to the source after the cutover."),
  FALLBACK("Something is in the way of the way back, in the task of the way back."),
  TARGET_LOST("The old source was opened without the target, which may still take writes."),
  FAILED("The task failed; it does not try again by itself.");

  private final String help;

  ProblemKind(String help) {
    this.help = help;
  }

  /** The value of the label. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** One sentence for operators, with code marks. */
  public String help() {
    return help;
  }
}
