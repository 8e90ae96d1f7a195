package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import java.time.Instant;
import java.util.Optional;

/**
 * How far the full load of a table is. Immutable.
 *
 * @param table its name on the source
 * @param target its name on the target
 * @param rows read from the source and sent to the target
 * @param bytes of those rows as they went over the wire
 * @param valuesCut of segments that were read whole
 * @param started when its first segment began
 * @param ended when its last segment was committed, or the load gave up
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
