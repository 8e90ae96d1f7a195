/**
 * What the validation remembers on the target: how far each table was read, and the rows that
 * differ. Imports {@code sink.control.schema} and {@code sink.target}.
 */
package dev.sluice.sink.control.validation;
