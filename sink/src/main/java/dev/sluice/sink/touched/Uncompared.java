package dev.sluice.sink.touched;

import dev.sluice.connector.api.Position;
import java.util.Optional;

/**
 * Rows that were touched since they were compared. Immutable.
 *
 * @param rows some of them, those that were touched first
 * @param all how many there are
 * @param dirtySince the last position at which rows were touched that are not kept, so that the
 *     table is to be read again from then on; empty if all are kept
 */
public record Uncompared(TouchedRows rows, int all, Optional<Position> dirtySince) {}
