package dev.sluice.sink.replay;

import dev.sluice.connector.api.ChangeEvent;

/**
 * One change of a transaction, as the source made it. Immutable.
 *
 * @param ordinal its number in the transaction, from 1
 */
public record PositionedChange(SourceTransaction transaction, long ordinal, ChangeEvent event) {}
