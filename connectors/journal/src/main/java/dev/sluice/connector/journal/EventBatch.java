package dev.sluice.connector.journal;

import java.util.List;

/**
 * Consecutive events of a source's log; a transaction may span several batches. Not modified after
 * creation.
 *
 * @param bytes size of the events in the log, for the bound of the queue
 */
public record EventBatch(List<SourceEvent> events, long bytes) {}
