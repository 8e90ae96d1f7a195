/**
 * Control tables on Db2, statements on them, and named locks. Imports {@code sink.target} and the
 * packages of the session and the catalog beside it.
 */
package dev.sluice.target.db2.control;
