/**
 * The port of a load: what each kind of target does for it, and the values that pass through.
 * {@link dev.sluice.load.target.LoadDialects} finds the implementation for a target's dialect.
 * Imports {@code load.file} and the sink's sessions.
 */
package dev.sluice.load.target;
