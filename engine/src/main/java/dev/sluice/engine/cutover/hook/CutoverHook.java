package dev.sluice.engine.cutover.hook;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One hook of a cutover. Every step may be repeated, and returns the lines for the report. Used by
 * one thread at a time.
 */
interface CutoverHook {

  String name();

  /** The longest time for one step. */
  Duration timeout();

  /** How an operator undoes a pause without Sluice; empty if there is nothing to undo. */
  Optional<String> byHand();

  /**
   * Whether the steps could run now: programs, logins, rights. Changes nothing.
   *
   * @param longestPause the longest time for which the applications may be held
   * @return warnings
   */
  List<String> check(Duration longestPause, Duration timeout)
      throws HookFailure, InterruptedException;

  /** Holds the applications. */
  List<String> pause(HookCall call) throws HookFailure, InterruptedException;

  /** Points the applications at the target; after the decision. */
  List<String> switchOver(HookCall call) throws HookFailure, InterruptedException;

  /** Lets the applications go; also if the pause did not begin or failed. */
  List<String> resume(HookCall call) throws HookFailure, InterruptedException;
}
