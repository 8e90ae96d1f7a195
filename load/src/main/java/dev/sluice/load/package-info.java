/**
 * Writes the rows of a load or an import to the target and completes its tables. Imports {@code
 * load.file}, {@code load.log} and the sink's sessions.
 */
package dev.sluice.load;
