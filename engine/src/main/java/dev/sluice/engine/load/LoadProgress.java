package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import java.time.Instant;
import java.util.Optional;

/**
 * The progress of one table's full load. Immutable.
 *
 * @param table its name on the source
 * @param target its name on the target
 * @param rows read from the source and sent to the target
 * @param bytes of those rows as sent over the network
 * @param valuesCut truncated values, of segments that were read completely
 * @param started when its first segment started
 * @param ended when its last segment was committed, or the load failed
 */
public record LoadProgress(
    TableId table,
    TableId target,
    LoadState state,
    long rows,
    long bytes,
    long valuesCut,
    Optional<Instant> started,
    Optional<Instant> ended) {}
