package dev.sluice.sink.control.task;

import java.time.Instant;

/**
 * A step of a task, stored on the target so that a later daemon can continue it. Immutable.
 *
 * @param step name of the step, unique in the task
 * @param state state of the step, as defined by its writer
 * @param detail data to continue from, in the writer's format; may be empty
 * @param at time of the last write, by the target's clock
 */
public record TaskStep(String step, String state, String detail, Instant at) {}
