package dev.sluice.sink.apply.round;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.TableChanges;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Applies changes one by one in source order, in batches: as sets where nothing can tell the
 * difference, else by pipelined statements. Owned by the apply thread; single use.
 */
final class OrderedApply {
  /** A set for many changes of a table costs little more than one for a few. */
  private static final int BATCH_ROWS = 20_000;

  /**
   * Limits the memory of statements in a pipeline, on both sides; a larger change is sent alone.
   */
  private static final int PIPELINE_ROWS = 1_000;

  private static final long PIPELINE_BYTES = 1024 * 1024;

  private final ApplySession session;
  private final BiConsumer<TablePlan, TableCounters> counters;
  private final PlainBatch plain;
  private final PipelinedBatch pipelined;
  private final List<OrderedChange> batch = new ArrayList<>();

  /**
   * @param counters gets what was applied to each table
   */
  OrderedApply(ApplySession session, BiConsumer<TablePlan, TableCounters> counters) {
    this.session = session;
    this.counters = counters;
    this.plain = new PlainBatch(session);
    this.pipelined = new PipelinedBatch(session);
  }

  /** Adds the next change; it may be applied only by {@link #flush}. */
  void add(TablePlan plan, RowChange change) {
    if (plan.hasColumnsBeyondUpdate() && change.match() != null) {
      flush();
      counters.accept(plan, applyAlone(plan, change));
      return;
    }
    if (batch.size() == BATCH_ROWS) {
      flush();
    }
    batch.add(new OrderedChange(plan, change));
  }

  private TableCounters applyAlone(TablePlan plan, RowChange change) {
    if (plan.schema().hasKey()) {
      NetChange alone = new NetChange(change.match(), change.row());
      return new KeyedApply(session, plan, List.of(alone)).apply(false);
    }
    Row match = change.match();
    TableChanges.Multiset alone =
        change.row() == null
            ? new TableChanges.Multiset(
                plan.schema(), List.of(new TableChanges.Copies(match, 1)), List.of(), List.of())
            : new TableChanges.Multiset(
                plan.schema(),
                List.of(),
                List.of(new NetChange(match, change.row().filledFrom(match))),
                List.of());
    return new MultisetApply(session, plan, alone).apply(false);
  }

  /** Applies the current batch. */
  void flush() {
    if (batch.isEmpty()) {
      return;
    }
    if (!plain.apply(batch)) {
      applyInParts();
    }
    batch.forEach(each -> counters.accept(each.plan(), each.counters()));
    batch.clear();
  }

  /** Most parts may be plain, though the batch is not. */
  private void applyInParts() {
    for (int from = 0; from < batch.size(); ) {
      int to = endOfPart(from);
      List<OrderedChange> part = batch.subList(from, to);
      if (part.size() == batch.size() || !plain.apply(part)) {
        pipelined.apply(part);
      }
      from = to;
    }
  }

  private int endOfPart(int from) {
    int to = from + 1;
    long bytes = bytes(batch.get(from).change());
    while (to < batch.size() && to - from < PIPELINE_ROWS) {
      bytes += bytes(batch.get(to).change());
      if (bytes > PIPELINE_BYTES) {
        break;
      }
      to++;
    }
    return to;
  }

  private static long bytes(RowChange change) {
    return (change.match() == null ? 0 : change.match().retainedBytes())
        + (change.row() == null ? 0 : change.row().retainedBytes());
  }
}
