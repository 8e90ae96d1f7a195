package dev.sluice.engine.load;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.engine.progress.ProgressItem;
import dev.sluice.engine.status.RateMeter;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Calculates the rates of a load and the time left. Pure: the time is passed in. Owned by the
 * monitor thread.
 *
 * <p>The total is measured by the tables' sizes on the source's disk, since rows of different
 * tables take different time.
 */
public final class LoadPace {
  private static final Duration WINDOW = Duration.ofSeconds(15);

  /** One page: an empty table takes some time, too. */
  private static final long LEAST_WEIGHT = 8192;

  private final Map<TableId, Meters> meters = new HashMap<>();
  private final Meters all = new Meters();
  private final RateMeter work = new RateMeter(WINDOW);

  /**
   * Takes a sample and returns the report.
   *
   * @param tables in load order; may be empty
   */
  public Report sample(
      Instant now, List<LoadProgress> tables, Map<TableId, LoadExpectation> expected) {
    meters.keySet().retainAll(tables.stream().map(LoadProgress::table).toList());
    Map<TableId, ProgressItem> items = new LinkedHashMap<>();
    double done = 0;
    double total = 0;
    for (LoadProgress table : tables) {
      LoadExpectation expectation = expected.getOrDefault(table.table(), LoadExpectation.NONE);
      double fraction = expectation.fraction(table);
      double weight = Math.max(LEAST_WEIGHT, expectation.bytes());
      done += fraction * weight;
      total += weight;
      items.put(table.table(), item(now, table, expectation, fraction));
    }
    work.sample(now, (long) done);
    return new Report(all(now, tables, items, done, total), items);
  }

  private ProgressItem item(
      Instant now, LoadProgress table, LoadExpectation expectation, double fraction) {
    Meters meter = meters.computeIfAbsent(table.table(), name -> new Meters());
    meter.sample(now, table.rows(), table.bytes());
    boolean inProgress = table.state() == LoadState.FULL_LOAD;
    double rate = inProgress ? meter.rows.perSecond() : 0;
    double share = table.rows() == 0 ? 0 : fraction * rate / table.rows();
    return new ProgressItem(
        table.table().toString(),
        state(table.state()),
        fraction,
        table.rows(),
        expectation.rows(),
        table.bytes(),
        rate,
        inProgress ? meter.bytes.perSecond() : 0,
        left(1 - fraction, share));
  }

  private ProgressItem all(
      Instant now,
      List<LoadProgress> tables,
      Map<TableId, ProgressItem> items,
      double done,
      double total) {
    long rows = tables.stream().mapToLong(LoadProgress::rows).sum();
    long bytes = tables.stream().mapToLong(LoadProgress::bytes).sum();
    all.sample(now, rows, bytes);
    boolean known = items.values().stream().allMatch(item -> item.expectedRows().isPresent());
    long complete = tables.stream().filter(table -> table.state() == LoadState.COMPLETED).count();
    boolean inProgress = complete < tables.size();
    return new ProgressItem(
        "%d of %s".formatted(complete, Counted.of(tables.size(), "table")),
        inProgress ? ProgressItem.RUNNING : "done",
        total == 0 || !inProgress ? 1 : Math.min(1, done / total),
        rows,
        known && inProgress
            ? OptionalLong.of(
                items.values().stream()
                    .mapToLong(
                        item ->
                            item.fraction() == 1 ? item.rows() : item.expectedRows().getAsLong())
                    .sum())
            : OptionalLong.empty(),
        bytes,
        inProgress ? all.rows.perSecond() : 0,
        inProgress ? all.bytes.perSecond() : 0,
        inProgress ? left(total - done, work.perSecond()) : Optional.empty());
  }

  private static Optional<Duration> left(double rest, double perSecond) {
    return rest <= 0 || perSecond <= 0
        ? Optional.empty()
        : Optional.of(Duration.ofSeconds((long) Math.ceil(rest / perSecond)));
  }

  private static String state(LoadState state) {
    return switch (state) {
      case BEFORE_LOAD -> "waiting";
      case FULL_LOAD -> ProgressItem.RUNNING;
      case COMPLETED -> "done";
      case CANCELLED -> "cancelled";
      case ERROR -> "failed";
    };
  }

  /**
   * The progress of a load. Immutable.
   *
   * @param all the total
   * @param tables each table, in load order; empty if nothing is loaded
   */
  public record Report(ProgressItem all, Map<TableId, ProgressItem> tables) {
    public static final Report NOTHING = new LoadPace().sample(Instant.EPOCH, List.of(), Map.of());

    public Report {
      tables = Collections.unmodifiableMap(new LinkedHashMap<>(tables));
    }
  }

  /** Rates of rows and bytes. */
  private static final class Meters {
    private final RateMeter rows = new RateMeter(WINDOW);
    private final RateMeter bytes = new RateMeter(WINDOW);

    void sample(Instant now, long rowsDone, long bytesDone) {
      rows.sample(now, rowsDone);
      bytes.sample(now, bytesDone);
    }
  }
}
