package dev.sluice.engine.cutover.hook;

import java.time.Duration;
import java.util.Optional;

/**
 * One call of a hook's step. Immutable.
 *
 * @param cutover the cutover's id
 * @param outcome empty before the decision
 * @param timeout the longest time for the step
 */
record HookCall(String cutover, Optional<CutoverOutcome> outcome, Duration timeout) {}
