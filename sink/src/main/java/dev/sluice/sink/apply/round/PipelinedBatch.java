package dev.sluice.sink.apply.round;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.target.OrderedStatements;
import dev.sluice.sink.target.StatementPipeline;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Applies changes in their order, each by a prepared statement, which are sent without waiting for
 * each result. All row counts are checked afterwards. Owned by the apply thread.
 */
final class PipelinedBatch {
  private static final int NAMED_KINDS = 10;

  /** A change that is in the pipeline. */
  private record Sent(ChangeKind kind, RowChange change) {}

  private final ApplySession session;
  private final OrderedStatements statements;
  private final Map<ChangeKind, String> sql = new HashMap<>();
  private final List<Sent> sent = new ArrayList<>();

  PipelinedBatch(ApplySession session) {
    this.session = session;
    this.statements = session.dialect().ordered();
  }

  /** Applies the changes. */
  void apply(List<OrderedChange> batch) {
    for (OrderedChange each : batch) {
      ChangeKind kind = ChangeKind.of(each.plan(), each.change());
      String statement = sql.computeIfAbsent(kind, key -> key.sql(statements));
      if (!pipeline().hasRoomFor(statement, session.statementCacheSize())) {
        run();
      }
      session.attempt(kind.description(), () -> take(statement, kind, each.change()));
    }
    run();
  }

  private boolean take(String statement, ChangeKind kind, RowChange change) throws SQLException {
    if (sent.isEmpty()) {
      pipeline().clear();
    }
    StatementPipeline.Values values = pipeline().add(statement, session.statementCacheSize());
    kind.arguments(
        change, (column, value) -> values.add(column, value.hasBytes() ? value.text() : null));
    sent.add(new Sent(kind, change));
    session.count();
    return true;
  }

  private void run() {
    if (sent.isEmpty()) {
      return;
    }
    long[] changed = session.attempt(description(), () -> statements.run(session.connection()));
    for (int i = 0; i < changed.length; i++) {
      requireOne(sent.get(i), changed[i]);
    }
    sent.clear();
  }

  private StatementPipeline pipeline() {
    return session.connection().pipeline();
  }

  private static void requireOne(Sent each, long changed) {
    if (changed != 1) {
      RowChange change = each.change();
      throw new SluiceException.Data(
          "%s of %s: expected to change 1 row, changed %d"
              .formatted(
                  each.kind().description(),
                  change.match() == null ? change.row() : change.match(),
                  changed),
          null);
    }
  }

  /** The only kind of the changes in the pipeline, or their first kinds, for messages. */
  private String description() {
    List<String> descriptions =
        sent.stream().map(each -> each.kind().description()).distinct().toList();
    return descriptions.size() == 1
        ? descriptions.get(0)
        : "apply one of %d changes in order: %s"
            .formatted(
                sent.size(),
                descriptions.stream().limit(NAMED_KINDS).collect(Collectors.joining(", ")));
  }
}
