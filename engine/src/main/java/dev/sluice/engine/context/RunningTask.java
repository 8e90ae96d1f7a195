package dev.sluice.engine.context;

import java.time.Clock;

/**
 * A task whose daemon runs: its context, and what the parts of the daemon share beside it. Made
 * once by the daemon. Immutable; its parts are threadsafe.
 *
 * @param phases the phase, since when and why
 * @param runtime what status and commands know of the running parts
 * @param stop whether and why the daemon is to end
 * @param stopPoint where it stops by itself
 * @param clock of everything that waits
 */
public record RunningTask(
    TaskContext context,
    PhaseTracker phases,
    TaskRuntime runtime,
    StopRequest stop,
    StopPoint stopPoint,
    Clock clock) {}
