/**
 * The keys of the rows that were applied lately, for comparisons of both sides. Imports {@code
 * connector.api} and {@code sink.lane}.
 */
package dev.sluice.sink.touched;
