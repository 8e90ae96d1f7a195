/**
 * Converts values from the neutral form, PostgreSQL's text, to Db2's. A value that a column would
 * cut, pad or round is refused here. Imports {@code sink.target}.
 */
package dev.sluice.target.db2.value;
