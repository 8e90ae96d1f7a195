package dev.sluice.sink.control.task;

import java.time.Instant;

/**
 * A step of a task's life, kept on the target so that it survives the daemon. Immutable.
 *
 * @param step its name, unique in the task
 * @param state how far it is, in the words of whoever wrote it
 * @param detail what is needed to go on, in a form of the writer's choosing; may be empty
 * @param at when it was last written, by the target's clock
 */
public record TaskStep(String step, String state, String detail, Instant at) {}
