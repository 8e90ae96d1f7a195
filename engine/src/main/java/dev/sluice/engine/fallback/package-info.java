/**
 * The way back of a task: armed before a cutover, it begins exactly at the position of the switch.
 * Imports {@code engine.capture} and what it imports.
 */
package dev.sluice.engine.fallback;
