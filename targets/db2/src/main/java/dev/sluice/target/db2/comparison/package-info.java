/**
 * The target's side of comparisons: rows as they are committed when they are read, printed as the
 * source prints them. Imports {@code catalog}, {@code session} and {@code value}.
 */
package dev.sluice.target.db2.comparison;
