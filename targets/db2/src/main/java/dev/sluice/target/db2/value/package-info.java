/**
 * Values from the neutral text form, PostgreSQL's, to Db2's. A value that a column would cut, fill
 * or round is refused here. Imports {@code sink.target}.
 */
package dev.sluice.target.db2.value;
