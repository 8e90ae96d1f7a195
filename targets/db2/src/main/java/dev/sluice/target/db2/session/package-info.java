/**
 * Sessions of Db2's driver: names in statements, counts of batches, limits, and locks by name. The
 * package imports nothing of ours.
 */
package dev.sluice.target.db2.session;
