/**
 * Where a capture begins or goes on: positions, the journal's end, the source as the journal knows
 * it. Imports all but the checks.
 */
package dev.sluice.connector.generic.start;
