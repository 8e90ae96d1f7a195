package dev.sluice.sink.checkpoint;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalPlace;
import java.time.Instant;

/**
 * A table of which nothing is applied any more, as the target remembers it. Immutable.
 *
 * @param table the source table
 * @param reason the error that suspended it
 * @param since when
 * @param applied up to here everything is applied for it: reading the journal from there gives the
 *     first transaction that is missing
 * @param firstMissing the position of the transaction that is the first not applied for it
 */
public record SuspendedTable(
    TableId table, String reason, Instant since, JournalPlace applied, Position firstMissing) {}
