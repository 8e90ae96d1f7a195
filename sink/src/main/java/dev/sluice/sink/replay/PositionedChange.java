package dev.sluice.sink.replay;

import dev.sluice.connector.api.ChangeEvent;

/**
 * One change as the source made it, with its place. Immutable.
 *
 * @param ordinal its place in the transaction, from 1
 */
public record PositionedChange(SourceTransaction transaction, long ordinal, ChangeEvent event) {}
