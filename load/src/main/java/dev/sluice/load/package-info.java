/**
 * What a load or an import does on any target: guards rows of others before, prepares tables, loads
 * segments and batches with their marks, sets sequences, and completes the tables after. Imports
 * {@code load.target}, {@code load.file}, {@code load.log} and the sink's sessions and dialects.
 */
package dev.sluice.load;
