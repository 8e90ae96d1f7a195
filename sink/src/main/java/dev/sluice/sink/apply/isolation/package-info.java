/**
 * Finds the changes that the target rejects, and applies the rest. Imports {@code
 * sink.apply.round}.
 */
package dev.sluice.sink.apply.isolation;
