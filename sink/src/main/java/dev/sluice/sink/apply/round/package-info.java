/** Applies one round of net changes: delete, update, insert. Imports {@code sink.apply.plan}. */
package dev.sluice.sink.apply.round;
