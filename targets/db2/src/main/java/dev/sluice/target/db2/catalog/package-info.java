/**
 * Reads tables and settings of Db2 from the driver's metadata and the catalog, and refuses what
 * does not fit. Imports {@code sink.target} and the packages of sessions and values beside it.
 */
package dev.sluice.target.db2.catalog;
