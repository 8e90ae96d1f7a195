package dev.sluice.sink.apply.round;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.OrderedStatements;
import dev.sluice.sink.target.StatementPipeline;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.TableChanges;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * Applies changes one by one in source order. It pipelines their statements: it sends a batch
 * without waiting for each answer, and checks all row counts afterwards. Owned by the apply thread;
 * single use.
 */
final class OrderedApply {
  /** Limits the memory of a batch on both sides; a larger change is sent alone. */
  private static final int BATCH_ROWS = 1_000;

  private static final long BATCH_BYTES = 1024 * 1024;

  private static final int NAMED_KINDS = 10;

  /** A change of the current batch. */
  private record Sent(ChangeKind kind, RowChange change) {}

  private final ApplySession session;
  private final OrderedStatements statements;
  private final BiConsumer<TablePlan, TableCounters> counters;
  private final Map<ChangeKind, String> sql = new HashMap<>();
  private final List<Sent> batch = new ArrayList<>();
  private long batchBytes;

  /**
   * @param counters gets what was applied to each table
   */
  OrderedApply(ApplySession session, BiConsumer<TablePlan, TableCounters> counters) {
    this.session = session;
    this.statements = session.dialect().ordered();
    this.counters = counters;
  }

  /** Adds the next change; it may be sent only by {@link #flush}. */
  void add(TablePlan plan, RowChange change) {
    if (plan.hasColumnsBeyondUpdate() && change.match() != null) {
      flush();
      counters.accept(plan, applyAlone(plan, change));
      return;
    }
    ChangeKind kind = ChangeKind.of(plan, change);
    String statement = sql.computeIfAbsent(kind, each -> each.sql(statements));
    long bytes = bytes(change);
    boolean isFull = batch.size() == BATCH_ROWS || batchBytes + bytes > BATCH_BYTES;
    if (isFull || !pipeline().hasRoomFor(statement, session.statementCacheSize())) {
      flush();
    }
    session.attempt(kind.description(), () -> take(statement, kind, change));
    batchBytes += bytes;
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

  /** Sends the current batch and checks its row counts. */
  void flush() {
    if (batch.isEmpty()) {
      return;
    }
    long[] changed = session.attempt(description(), () -> statements.run(session.connection()));
    for (int i = 0; i < batch.size(); i++) {
      account(batch.get(i).kind(), batch.get(i).change(), changed[i]);
    }
    batch.clear();
    batchBytes = 0;
  }

  private boolean take(String statement, ChangeKind kind, RowChange change) throws SQLException {
    if (batch.isEmpty()) {
      pipeline().clear();
    }
    StatementPipeline.Values values = pipeline().add(statement, session.statementCacheSize());
    kind.arguments(change, value -> values.add(value.hasBytes() ? value.text() : null));
    batch.add(new Sent(kind, change));
    session.count();
    return true;
  }

  private StatementPipeline pipeline() {
    return session.connection().pipeline();
  }

  private void account(ChangeKind kind, RowChange change, long changed) {
    if (changed != 1) {
      throw new SluiceException.Data(
          "%s of %s: expected to change 1 row, changed %d"
              .formatted(
                  kind.description(),
                  change.match() == null ? change.row() : change.match(),
                  changed),
          null);
    }
    counters.accept(kind.plan(), kind.counters());
  }

  /** The batch's only kind, or its first kinds, for messages. */
  private String description() {
    List<ChangeKind> kinds = new ArrayList<>();
    batch.forEach(sent -> kinds.add(sent.kind()));
    List<String> descriptions = kinds.stream().map(ChangeKind::description).distinct().toList();
    return descriptions.size() == 1
        ? descriptions.get(0)
        : "apply one of %d changes in order: %s"
            .formatted(
                kinds.size(),
                descriptions.stream().limit(NAMED_KINDS).collect(Collectors.joining(", ")));
  }

  private static long bytes(RowChange change) {
    return (change.match() == null ? 0 : change.match().retainedBytes())
        + (change.row() == null ? 0 : change.row().retainedBytes());
  }
}
