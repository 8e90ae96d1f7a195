/**
 * What the findings of a session mean for a table: how far it is read, and which rows are listed as
 * different. Imports {@code engine.validate.session} and {@code sink.control.validation}.
 */
package dev.sluice.engine.validate.verdict;
