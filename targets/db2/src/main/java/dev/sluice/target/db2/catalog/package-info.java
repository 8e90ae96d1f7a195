/**
 * What Db2's catalog and settings say of tables, by the driver's metadata, and what is refused.
 * Imports {@code sink.target} and the packages of sessions and values beside it.
 */
package dev.sluice.target.db2.catalog;
