package dev.sluice.connector.journal;

import java.util.List;

/**
 * Consecutive events of a source's log; a transaction may reach over several batches. Not to be
 * changed any more.
 *
 * @param bytes what the events took in the log, for bounding what waits
 */
public record EventBatch(List<SourceEvent> events, long bytes) {}
