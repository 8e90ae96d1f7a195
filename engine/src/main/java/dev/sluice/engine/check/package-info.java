/**
 * Pre-flight checks of a task. Imports {@code engine.context} and {@code engine.capture}; changes
 * nothing.
 */
package dev.sluice.engine.check;
