/**
 * Finds the dialect of a target by its type. Imports {@code sink.target} and {@code
 * sink.target.postgres}; other modules declare their dialect by {@code TargetKind}.
 */
package dev.sluice.sink.target.kind;
