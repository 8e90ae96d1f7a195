package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.apply.plan.AppliedCounts;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.control.report.ApplyException;
import dev.sluice.sink.control.report.ApplyException.Values;
import dev.sluice.sink.control.report.ApplyExceptions;
import dev.sluice.sink.control.report.ErrorKind;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.replay.PositionedChange;
import dev.sluice.sink.window.TableErrors;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes rejected changes to the table {@code sluice_apply_exceptions}. Policy and error count
 * decide what is done about each. Owned by the apply thread; one for each pass.
 */
public final class RejectedChangeWriter {
  private static final Logger LOG = LoggerFactory.getLogger(RejectedChangeWriter.class);

  /** Rejected changes of a window that are logged; the exceptions table has all. */
  private static final int LOGGED = 20;

  private static final int WRITTEN_TOGETHER = 100;

  private static final long CHARACTERS_TOGETHER = 8 * 1024 * 1024;

  private final ApplySession session;
  private final TaskSettings settings;
  private final ApplyExceptions exceptions;
  private final UnaryOperator<TableId> targetOf;
  private final Clock clock;
  private final String stops;

  /** Errors of each table: those in the exceptions table and those of this pass. */
  private final Map<TableId, Map<ErrorKind, Long>> errors = new HashMap<>();

  private final List<ApplyException> unwritten = new ArrayList<>();
  private long unwrittenCharacters;
  private long logged;

  /**
   * @param stops the effect of the policy to stop, as words for the message
   */
  public RejectedChangeWriter(
      ApplySession session,
      TaskSettings settings,
      ApplyExceptions exceptions,
      UnaryOperator<TableId> targetOf,
      Clock clock,
      String stops) {
    this.session = session;
    this.settings = settings;
    this.exceptions = exceptions;
    this.targetOf = targetOf;
    this.clock = clock;
    this.stops = stops;
  }

  /**
   * Rejects a change.
   *
   * @param tables the change's tables that are not suspended
   * @param state the SQLSTATE; empty if the target raised no error
   * @param counts gets the conflict, unless its table is to be suspended
   * @return the tables to be suspended from the change's transaction on; mostly none
   * @throws SluiceException.Data if the policy is to stop
   */
  List<IsolationFindings.Suspension> add(
      PositionedChange placed,
      List<TableId> tables,
      ErrorKind kind,
      String state,
      String error,
      AppliedCounts counts) {
    List<IsolationFindings.Suspension> suspensions = new ArrayList<>();
    for (TableId table : tables) {
      ErrorAction policy = actionByPolicy(kind);
      ErrorAction action = escalated(table, kind, policy);
      ApplyException exception = exceptionOf(placed, table, kind, action, state, error);
      if (action == ErrorAction.STOP_TASK) {
        throw stop(exception, (action == policy ? kind.policy() : kind.escalationPolicy()).name());
      }
      if (action == ErrorAction.SUSPEND_TABLE) {
        suspensions.add(suspension(exception));
      } else {
        counts.add(table, rejection(exception));
        log(exception);
        write(exception);
      }
    }
    return suspensions;
  }

  /** Writes the changes that suspended their tables. */
  void addSuspensions(Collection<IsolationFindings.Suspension> suspensions, AppliedCounts counts) {
    for (IsolationFindings.Suspension suspension : suspensions) {
      counts.add(suspension.table().table(), rejection(suspension.exception()));
      write(suspension.exception());
    }
  }

  private static TableErrors rejection(ApplyException exception) {
    return TableErrors.rejection(exception.operation() + ": " + exception.error());
  }

  private void write(ApplyException exception) {
    unwritten.add(exception);
    unwrittenCharacters += exception.characters();
    if (unwritten.size() >= WRITTEN_TOGETHER || unwrittenCharacters >= CHARACTERS_TOGETHER) {
      flush();
    }
  }

  /** Writes the rejected changes that are buffered, in the open transaction. */
  void flush() {
    session.attempt(
        "write the exceptions table",
        () -> {
          exceptions.write(session.connection(), unwritten);
          return null;
        });
    unwritten.clear();
    unwrittenCharacters = 0;
  }

  /** The source tables of the event's rows. */
  static List<TableId> tablesOf(ChangeEvent event) {
    if (event instanceof RowChange change) {
      return List.of(change.schema().table());
    }
    if (event instanceof Definition definition) {
      return definition.changes().changes().stream()
          .flatMap(change -> change.rowsUnder().stream())
          .distinct()
          .toList();
    }
    return ((Truncate) event).tables().stream().map(Emptied::table).distinct().toList();
  }

  private ErrorAction actionByPolicy(ErrorKind kind) {
    ErrorAction action = settings.get(kind.policy());
    // INSERT_RECORD and UPDATE_RECORD were tried before, and the target rejected that as well.
    return action == ErrorAction.INSERT_RECORD || action == ErrorAction.UPDATE_RECORD
        ? ErrorAction.LOG_ERROR
        : action;
  }

  /** The policy's action, or the escalation's if there are too many errors. */
  private ErrorAction escalated(TableId table, ErrorKind kind, ErrorAction action) {
    int limit = settings.get(kind.escalationCount());
    if (action == ErrorAction.STOP_TASK || limit == 0) {
      return action;
    }
    Map<ErrorKind, Long> known =
        errors.computeIfAbsent(
            table,
            key ->
                session.attempt(
                    "count the exceptions of " + table,
                    () -> {
                      Map<ErrorKind, Long> counted = new EnumMap<>(ErrorKind.class);
                      counted.putAll(exceptions.count(session.connection(), table));
                      return counted;
                    }));
    known.merge(kind, 1L, Long::sum);
    long count = 0;
    for (ErrorKind each : kind.countedWith()) {
      count += known.getOrDefault(each, 0L);
    }
    ErrorAction escalation = settings.get(kind.escalationPolicy());
    return count >= limit && escalation.ordinal() > action.ordinal() ? escalation : action;
  }

  private ApplyException exceptionOf(
      PositionedChange placed,
      TableId table,
      ErrorKind kind,
      ErrorAction action,
      String state,
      String error) {
    String operation =
        placed.event() instanceof Definition definition
            ? definition.changes().command()
            : "TRUNCATE";
    Values key = null;
    Values row = null;
    boolean keyed = true;
    if (placed.event() instanceof RowChange change) {
      RowSchema schema = change.schema();
      operation = change.match() == null ? "INSERT" : change.row() == null ? "DELETE" : "UPDATE";
      keyed = schema.hasKey();
      key = keyOf(schema, change.match() == null ? schema.matchOf(change.row()) : change.match());
      row = change.row() == null ? null : rowOf(schema, change.row());
    }
    return new ApplyException(
        table,
        targetOf.apply(table),
        kind,
        action,
        operation,
        keyed,
        key,
        row,
        placed.transaction(),
        placed.ordinal(),
        state,
        error);
  }

  private static Values keyOf(RowSchema schema, Row match) {
    int[] columns = schema.key();
    List<String> names = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    ValueCursor cursor = match.cursor();
    for (int i = 0; cursor.next(); i++) {
      names.add(schema.columns().get(schema.hasKey() ? columns[i] : i).name());
      texts.add(cursor.hasBytes() ? cursor.text() : null);
    }
    return new Values(names, texts);
  }

  private static Values rowOf(RowSchema schema, Row row) {
    List<String> names = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    ValueCursor cursor = row.cursor();
    for (int i = 0; cursor.next(); i++) {
      if (!cursor.isUnchanged()) {
        names.add(schema.columns().get(i).name());
        texts.add(cursor.hasBytes() ? cursor.text() : null);
      }
    }
    return new Values(names, texts);
  }

  private IsolationFindings.Suspension suspension(ApplyException exception) {
    SuspendedTable table =
        new SuspendedTable(
            exception.source(),
            exception.error(),
            clock.instant(),
            exception.transaction().before(),
            exception.transaction().position());
    LOG.warn(
        "{} is suspended from the transaction at {} on, journal offset {}: {}",
        exception.source(),
        table.firstMissing(),
        table.applied().nextOffset(),
        describe(exception));
    return new IsolationFindings.Suspension(table, exception.target(), exception);
  }

  private void log(ApplyException exception) {
    if (exception.action() == ErrorAction.IGNORE_RECORD || logged > LOGGED) {
      return;
    }
    logged++;
    LOG.warn(
        logged > LOGGED
            ? "more changes of this window were rejected; sluice_apply_exceptions lists all"
            : "rejected: " + describe(exception));
  }

  private SluiceException.Data stop(ApplyException exception, String setting) {
    return new SluiceException.Data(
        "%s. %s by %s. Fix the target table, or choose another policy in ErrorBehavior"
            .formatted(describe(exception), stops, setting),
        null);
  }

  private static String describe(ApplyException exception) {
    return "%s, change %d of the transaction at %s committed %s: %s"
        .formatted(
            shortened(exception.statement()),
            exception.ordinal(),
            exception.transaction().position(),
            exception.transaction().commitTime(),
            exception.error());
  }

  private static String shortened(String text) {
    return text.length() <= 300 ? text : text.substring(0, 300) + "…";
  }
}
