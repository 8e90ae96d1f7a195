package dev.sluice.connector.api.comparison;

import java.util.OptionalLong;

/**
 * A part of a table by the places of its rows: of each partition the same pages. Immutable.
 *
 * @param from the first page
 * @param to the first page after it; empty: up to the end
 */
public record TablePart(long from, OptionalLong to) {}
