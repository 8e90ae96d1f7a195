package dev.sluice.connector.api.source.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.ParallelLoad;
import dev.sluice.config.settings.DataSize;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * How tables are divided into segments. Immutable.
 *
 * @param size approximate size of a segment
 * @param parallel the parallel-load rules
 * @param condition the condition of the rows of a table that are loaded, in the source's SQL;
 *     empty: all
 */
public record SegmentRules(
    DataSize size,
    Map<TableId, ParallelLoad> parallel,
    Function<RecordedTable, Optional<String>> condition) {
  public SegmentRules {
    parallel = Map.copyOf(parallel);
  }
}
