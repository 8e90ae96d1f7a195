/**
 * Which tables are followed since they were read, and how a start takes that over: it reads the
 * keys of the journal again. Imports {@code sink.touched}, {@code sink.replay} and {@code
 * sink.control.validation}.
 */
package dev.sluice.engine.validate.followed;
