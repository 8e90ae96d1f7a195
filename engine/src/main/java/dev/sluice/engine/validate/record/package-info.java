/**
 * The record of a pass of the validation, as a text file for people. Imports {@code
 * engine.validate.session}.
 */
package dev.sluice.engine.validate.record;
