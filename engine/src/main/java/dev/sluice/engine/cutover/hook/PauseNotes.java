package dev.sluice.engine.cutover.hook;

import java.util.Map;

/**
 * Durable notes of the hooks that hold the applications. A pause outlives the daemon, so it is
 * noted before it begins. A note is on disk when the call returns.
 */
public interface PauseNotes {

  /**
   * Notes that a hook is about to hold the applications.
   *
   * @param byHand how an operator lets them go without Sluice
   */
  void note(String hook, String byHand);

  /** Notes that a hook has let the applications go. */
  void cleared(String hook);

  /** The hooks that may hold applications, each with the way to let them go by hand. */
  Map<String, String> open();
}
