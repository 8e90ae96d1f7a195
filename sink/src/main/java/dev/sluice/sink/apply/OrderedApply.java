package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.ApplySession.attempt;

import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.window.NetChange;
import dev.sluice.sink.window.TableChanges;
import dev.sluice.sink.window.TableCounters;
import java.sql.BatchUpdateException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * Applies changes one by one, in the order in which the source made them. Changes of any kinds go
 * to the target together, without waiting for each answer; what each has changed is looked at when
 * the answers are in. Owned by the apply thread; single use.
 */
/*
 * JDBC sends the statements of a batch without waiting, but the values it binds are those of one
 * statement. So the statements are prepared in SQL, and a batch is made of their EXECUTEs.
 */
final class OrderedApply {
  /** Bounds what both sides hold of a batch. */
  private static final int BATCH_ROWS = 1_000;

  private static final long BATCH_BYTES = 1024 * 1024;

  private static final int NAMED_KINDS = 10;

  /** One change on its way; without a change a statement that prepares or gives up another. */
  private record Sent(ChangeKind kind, RowChange change) {
    static final Sent PREPARATION = new Sent(null, null);
  }

  private final ApplySession session;
  private final BiConsumer<TablePlan, TableCounters> counters;
  private final ExecuteText text = new ExecuteText();
  private final Map<ChangeKind, String> sql = new HashMap<>();
  private final List<Sent> batch = new ArrayList<>();
  private final List<String> statements = new ArrayList<>();
  private long batchBytes;
  private boolean begun;

  /**
   * @param counters told what was applied to each table
   */
  OrderedApply(ApplySession session, BiConsumer<TablePlan, TableCounters> counters) {
    this.session = session;
    this.counters = counters;
  }

  /** Takes the next change; it may wait for {@link #flush}. */
  void add(TablePlan plan, RowChange change) {
    if (plan.hasColumnsBeyondUpdate() && change.match() != null) {
      flush();
      counters.accept(plan, applyAlone(plan, change));
      return;
    }
    ChangeKind kind = ChangeKind.of(plan, change);
    long bytes = bytes(change);
    if (bytes > BATCH_BYTES) {
      flush();
      applyAlone(kind, change);
      return;
    }
    attempt(kind.description(), () -> take(kind, change));
    batchBytes += bytes;
    if (batch.size() >= BATCH_ROWS || batchBytes > BATCH_BYTES) {
      flush();
    }
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

  /** Applies what was added. */
  void flush() {
    if (batch.isEmpty()) {
      return;
    }
    long[] changed = attempt(description(), this::execute);
    for (int i = 0; i < changed.length; i++) {
      if (batch.get(i) != Sent.PREPARATION) {
        account(batch.get(i).kind(), batch.get(i).change(), changed[i]);
      }
    }
    batch.clear();
    statements.clear();
    batchBytes = 0;
  }

  private boolean take(ChangeKind kind, RowChange change) throws SQLException {
    StatementCache cache = session.statementCache();
    StatementCache.Turn turn =
        statement -> {
          batch.add(Sent.PREPARATION);
          statements.add(statement);
        };
    if (!begun) {
      cache.settle(session::texts, turn);
      begun = true;
    }
    String body = sql.computeIfAbsent(kind, key -> key.sql(number -> "$" + number));
    text.begin(cache.name(body, session.statementCacheSize(), turn));
    kind.arguments(change, text::value);
    batch.add(new Sent(kind, change));
    statements.add(text.end());
    session.count();
    return true;
  }

  private long[] execute() throws SQLException {
    try (Statement statement = session.connection().jdbc().createStatement()) {
      // The text is PostgreSQL's own; JDBC's escapes are not looked for.
      statement.setEscapeProcessing(false);
      for (String each : statements) {
        statement.addBatch(each);
      }
      long[] changed = statement.executeLargeBatch();
      session.statementCache().confirm();
      return changed;
    } catch (BatchUpdateException e) {
      // The batch's own message repeats the whole statement; what the server said is behind it.
      throw e.getNextException() == null ? e : e.getNextException();
    }
  }

  /** A change with large values: bound, where as literals each would be held several times. */
  private void applyAlone(ChangeKind kind, RowChange change) {
    session.count();
    long changed =
        attempt(
            kind.description(),
            () -> {
              String statementText = kind.sql(number -> "?");
              try (PreparedStatement statement =
                  session.connection().jdbc().prepareStatement(statementText)) {
                List<String> values = new ArrayList<>();
                kind.arguments(change, value -> values.add(textOf(value)));
                for (int i = 0; i < values.size(); i++) {
                  statement.setString(i + 1, values.get(i));
                }
                return statement.executeLargeUpdate();
              }
            });
    account(kind, change, changed);
  }

  private void account(ChangeKind kind, RowChange change, long changed) {
    if (changed != 1) {
      throw new SluiceException.Data(
          "%s of %s was to change 1 row and changed %d"
              .formatted(
                  kind.description(),
                  change.match() == null ? change.row() : change.match(),
                  changed),
          null);
    }
    counters.accept(kind.plan(), kind.counters());
  }

  /** For messages: the one kind of the batch, or its tables. */
  private String description() {
    List<ChangeKind> kinds = new ArrayList<>();
    for (Sent sent : batch) {
      if (sent != Sent.PREPARATION) {
        kinds.add(sent.kind());
      }
    }
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

  private static String textOf(ValueCursor value) {
    return value.hasBytes() ? value.text() : null;
  }
}
