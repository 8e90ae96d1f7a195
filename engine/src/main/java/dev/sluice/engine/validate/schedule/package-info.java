/**
 * Decides when a session of the validation begins and what it compares. Pure: no thread, no I/O,
 * the time is passed in. Imports {@code config} and {@code sink.control.validation}.
 */
package dev.sluice.engine.validate.schedule;
