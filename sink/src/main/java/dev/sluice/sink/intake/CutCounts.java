package dev.sluice.sink.intake;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts, by source table, the values of changes that were cut since the daemon's start. A value
 * that is read again from the journal counts again. Threadsafe.
 */
public final class CutCounts {
  private static final Logger LOG = LoggerFactory.getLogger(CutCounts.class);

  private final Map<TableId, LongAdder> counts = new ConcurrentHashMap<>();

  void add(TableId table, int values) {
    LongAdder first = new LongAdder();
    LongAdder count = counts.computeIfAbsent(table, name -> first);
    count.add(values);
    if (count == first) {
      LOG.warn(
          "table {}: {} of a change cut, as LimitedSizeLobMode or its lob-settings ask; the status"
              + " counts those that follow",
          table,
          Counted.of(values, "value"));
    }
  }

  public long of(TableId table) {
    LongAdder count = counts.get(table);
    return count == null ? 0 : count.sum();
  }
}
