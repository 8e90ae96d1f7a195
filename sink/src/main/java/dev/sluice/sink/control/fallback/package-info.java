/**
 * What a task and its way back tell each other through the control schema. Imports {@code
 * sink.control.schema} and {@code sink.target}.
 */
package dev.sluice.sink.control.fallback;
