/**
 * What a load does around its rows on any target: guards rows of others before, and completes the
 * tables after. Imports {@code load.log} and the sink's sessions and dialects.
 */
package dev.sluice.load;
