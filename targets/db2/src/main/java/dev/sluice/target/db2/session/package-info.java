/**
 * Sessions of Db2's driver: names in statements, counts of batches, limits, and named locks.
 * Imports no other package of Sluice.
 */
package dev.sluice.target.db2.session;
