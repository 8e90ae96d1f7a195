package dev.sluice.engine.capture;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.source.AppliedJournal;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.context.EpochClaim;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.context.UntakenTables;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.sink.control.position.RowShapeTable;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.HostName;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.intake.MappedSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first steps of an attempt: claims the next epoch, reads the source's catalog, and starts the
 * capture under that epoch. Owned by the daemon's main thread.
 */
public final class CaptureStart {
  private static final Logger LOG = LoggerFactory.getLogger(CaptureStart.class);

  private final TaskContext context;
  private final TaskRuntime runtime;
  private final EpochClaim epochs;
  private final Journal journal;
  private final TableRecord record;
  private final ReportedDdl ddl;
  private final TablesInLog inLog;

  /** The catalog as it was read last. */
  private SourceCatalog catalog;

  public CaptureStart(
      TaskContext context, TaskRuntime runtime, EpochClaim epochs, Journal journal) {
    this.context = context;
    this.runtime = runtime;
    this.epochs = epochs;
    this.journal = journal;
    this.record = new TableRecord(context);
    this.ddl = new ReportedDdl(context, runtime);
    this.inLog = new TablesInLog(context, record, ddl);
  }

  /** The reports of DDL in the log. */
  public ReportedDdl ddl() {
    return ddl;
  }

  /** The changes of the tables in the log. */
  public TablesInLog inLog() {
    return inLog;
  }

  public Checkpoint claim() {
    return claimAbove(0);
  }

  private Checkpoint claimAbove(long used) {
    Checkpoint claimed = epochs.claim(() -> context.claim().above(used));
    context.identities().place(claimed, HostName.text(), context.ownership().directory());
    runtime.epoch(claimed.epoch());
    return claimed;
  }

  /**
   * Records the tables and the shape of their rows, before the task counts as started: a start
   * after a kill needs them.
   */
  public void keepTables(Checkpoint claimed) {
    record.begin(claimed, runtime.tables());
    new RowShapeTable(context.controlSchema(), context.task())
        .begin(
            context.target(),
            claimed,
            catalog.tables().stream()
                .map(
                    table ->
                        MappedSchema.of(
                                new RowSchema(table.table(), table.rowColumns()),
                                context.config().tableMappings().columns())
                            .schema())
                .toList());
  }

  /** Records tables that a reload has added, once they are published. */
  void keepTaken(Checkpoint claimed, List<TaskStep> steps) {
    List<TableId> taken = new ArrayList<>(runtime.tables());
    taken.removeAll(UntakenTables.among(context, steps, taken));
    if (!FollowedTables.of(steps).newAmong(taken).isEmpty()) {
      if (context.source().ddlReporting().isInLog()) {
        // What follows in the log may be about tables that are gone.
        record.add(claimed, taken);
      } else {
        record.begin(claimed, taken);
      }
    }
  }

  public SourceCatalog catalog(List<TaskStep> steps) {
    return of(context.followed(steps));
  }

  /** The same of a task that goes on; names the selected tables that it does not replicate. */
  SourceCatalog catalogBesideNewTables(List<TaskStep> steps) {
    Predicate<TableId> isSelected = context.config().tableMappings()::selects;
    SourceCatalog selected = context.source().catalog(isSelected);
    // Read later: a table that was made and taken in meanwhile is not named.
    FollowedTables followed = context.followedTables(steps);
    followed.notFollowed(tables(selected)).ifPresent(LOG::warn);
    return of(selected.among(followed.among(isSelected)));
  }

  private SourceCatalog of(SourceCatalog now) {
    catalog = now;
    runtime.tables(tables(now));
    return now;
  }

  static List<TableId> tables(SourceCatalog catalog) {
    return catalog.tables().stream().map(CatalogTable::table).toList();
  }

  /** Captures tables that have come, or were altered, since the task began to wait for a start. */
  public void captureMore(Checkpoint claimed, SourceCatalog now) {
    inLog.publishWhatFits(claimed, now);
    ddl.follow(now);
    keep(claimed, now);
  }

  /** Records the tables and the shape of their rows as they are in a catalog. */
  void keep(Checkpoint claimed, SourceCatalog now) {
    catalog = now;
    runtime.tables(tables(now));
    keepTables(claimed);
  }

  public Duration consistencyTimeout() {
    return context.config().taskSettings().get(FullLoadSettings.TRANSACTION_CONSISTENCY_TIMEOUT);
  }

  public Capture startCapture(Checkpoint claimed, Position from, SourceCatalog catalog) {
    Set<TableId> later = record.goBack(claimed, from, applied(claimed).position());
    Capture capture =
        context
            .source()
            .startCapture(
                new CaptureRequest(
                    claimed.epoch(),
                    from,
                    journal.client(),
                    context.topics(),
                    context.config().taskSettings().get(SluiceSettings.MAX_VALUE_SIZE),
                    CaptureRequest.IDLE_AFTER,
                    applied(claimed),
                    context.config().cdcStop(),
                    context.config().migrationType().loads()),
                new CaptureScope(
                    later.isEmpty() ? catalog : catalog.without(later),
                    begunWith(later),
                    ddl.isReported(),
                    context.config().tableMappings()::selects,
                    context.config().tableMappings()::wantsOldRows,
                    record.of(claimed),
                    context.config().tableMappings()::filter));
    runtime.capture(capture);
    return capture;
  }

  private AppliedJournal applied(Checkpoint claimed) {
    Checkpoint lowest = LaneLayout.lowest(context, claimed);
    return new AppliedJournal(
        lowest.position(),
        lowest.journalTerm(),
        lowest.journalTransaction(),
        lowest.nextOffset(),
        LaneLayout.furthest(context, claimed).max(context.loadMarks().starts().others()));
  }

  private Set<TableId> begunWith(Set<TableId> later) {
    return context.followedTables(context.steps().all(context.task())).begunWith().stream()
        .filter(context.config().tableMappings()::selects)
        .filter(table -> !later.contains(table))
        .collect(Collectors.toSet());
  }

  public String topicId() {
    return journal
        .topicId()
        .orElseThrow(
            () ->
                new SluiceException.Retryable(
                    "the topic " + context.topics().journal() + " does not exist", null))
        .toString();
  }

  /**
   * Claims an epoch above all terms in the journal. A target that was set back has forgotten
   * epochs: the sink would take a term that has one of their numbers for a repetition.
   */
  Checkpoint aboveJournal(Checkpoint claimed, StartFacts known) {
    if (!known.isTargetSetBack(claimed)) {
      return claimed;
    }
    LOG.warn(
        "the target was set back: the journal has term {}, and the target's newest epoch is {}; the"
            + " journal and the source's log have all that the target lacks, so the task continues",
        known.newestTerm(),
        claimed.epoch());
    return claimAbove(known.newestTerm());
  }

  /** Reads what target, journal and source have, from which a start is decided. */
  public StartFacts facts(LaneLayout layout, Checkpoint claimed) {
    return StartFacts.read(context, journal, topicId(), layout, claimed);
  }

  Checkpoint readingFrom(Checkpoint claimed, long offset) {
    return claimed.setTo(
        new JournalOffset(
            claimed.position(), claimed.journalTerm(), claimed.journalTransaction(), offset),
        Optional.of(topicId()));
  }
}
