package dev.sluice.engine.capture;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.postgres.CaptureRequest;
import dev.sluice.connector.postgres.catalog.CatalogTable;
import dev.sluice.connector.postgres.catalog.SourceCatalog;
import dev.sluice.connector.postgres.server.SourceIdentity;
import dev.sluice.connector.postgres.slot.StartRule;
import dev.sluice.engine.context.DdlCapture;
import dev.sluice.engine.context.EpochClaim;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.position.RowShapeTable;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.HostName;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.intake.MappedSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an attempt does before it follows the log: claims the next epoch, looks at the source, and
 * starts the capture under that epoch. Owned by the daemon's main thread.
 */
public final class CaptureStart {
  private static final Logger LOG = LoggerFactory.getLogger(CaptureStart.class);

  private final TaskContext parts;
  private final TaskRuntime board;
  private final EpochClaim epochs;
  private final Map<String, Object> kafka;
  private final Journal journal;

  /** As it was read last. */
  private SourceCatalog catalog;

  public CaptureStart(
      TaskContext parts,
      TaskRuntime board,
      EpochClaim epochs,
      Map<String, Object> kafka,
      Journal journal) {
    this.parts = parts;
    this.board = board;
    this.epochs = epochs;
    this.kafka = kafka;
    this.journal = journal;
  }

  public Checkpoint claim() {
    Checkpoint claimed = epochs.claim(() -> parts.claim().next());
    parts.identities().place(claimed, HostName.text(), parts.ownership().directory());
    board.epoch(claimed.epoch());
    return claimed;
  }

  /**
   * Before the task counts as begun: a start after a kill must know them, and their rows' shape.
   */
  public void keepTables(Checkpoint claimed) {
    recordTables(claimed);
    new RowShapeTable(parts.controlSchema(), parts.task())
        .begin(
            parts.target(),
            claimed,
            catalog.tables().stream()
                .map(
                    table ->
                        MappedSchema.of(
                                new RowSchema(table.table(), table.rowColumns()),
                                parts.config().tableMappings().columns())
                            .schema())
                .toList());
  }

  /** Tables that a reload takes in are followed for good once they are published. */
  void keepTaken(Checkpoint claimed, List<TaskStep> steps) {
    if (!FollowedTables.of(steps).newAmong(board.tables()).isEmpty()) {
      recordTables(claimed);
    }
  }

  private void recordTables(Checkpoint claimed) {
    parts
        .steps()
        .record(
            claimed,
            TaskStepNames.TABLES,
            TaskStepNames.TABLES_KNOWN,
            FollowedTables.detail(board.tables()));
  }

  void nameNewTables(List<TaskStep> steps) {
    List<TableId> selected =
        parts.source().catalog(parts.config().tableMappings()::selects).tables().stream()
            .map(CatalogTable::table)
            .toList();
    parts.followedTables(steps).leftOut(selected).ifPresent(LOG::warn);
  }

  public SourceCatalog catalog(List<TaskStep> steps) {
    catalog = parts.followed(steps);
    board.tables(tables(catalog));
    return catalog;
  }

  /** Makes DDL travel through the log where this user may, and says where not. */
  public void installDefinitions() {
    if (!parts.config().migrationType().captures()) {
      return;
    }
    Optional<String> missing = parts.source().definitionTrigger().install();
    board.definitions(
        missing.map(reason -> DdlCapture.without(reason)).orElse(DdlCapture.BY_TRIGGER));
    missing.ifPresent(reason -> LOG.warn("{}", DdlCapture.without(reason)));
  }

  /** Before the catalog is read: new tables are not followed until {@link #followDefinitions}. */
  public void holdDefinitions() {
    if (isToldByTriggers()) {
      parts.source().definitionTrigger().takeNoNew();
    }
  }

  /** Before the tables are published: from here on they are kept fit for it. */
  public void beginDefinitions(SourceCatalog catalog) {
    if (isToldByTriggers()) {
      parts
          .source()
          .definitionTrigger()
          .begin(
              parts.config().source().publicationName(),
              parts.config().source().replicaIdentityFull(),
              parts.config().tableMappings().selectionPatterns(),
              tables(catalog));
    }
  }

  /**
   * From here on new tables that are selected are followed: where the slot is, so that nothing of
   * them comes before it.
   */
  public void followDefinitions(SourceCatalog catalog) {
    if (isToldByTriggers()) {
      parts
          .source()
          .definitionTrigger()
          .register(
              parts.config().source().publicationName(),
              parts.config().source().replicaIdentityFull(),
              parts.config().tableMappings().selectionPatterns(),
              tables(catalog));
    }
  }

  private boolean isToldByTriggers() {
    return DdlCapture.BY_TRIGGER.equals(board.definitions());
  }

  private static List<TableId> tables(SourceCatalog catalog) {
    return catalog.tables().stream().map(CatalogTable::table).toList();
  }

  public void publish(Checkpoint claimed, SourceCatalog catalog) {
    giveReplicaIdentity(claimed, catalog);
    parts
        .source()
        .publication()
        .include(
            catalog.named(),
            parts.config().tableMappings()::filter,
            parts.source().slot().state().isPresent());
  }

  /**
   * The same of a task that has begun. What its tables became meanwhile is in the log where there
   * are event triggers; without, it is looked at before.
   */
  void publishAgain(Checkpoint claimed, List<TaskStep> steps, SourceCatalog catalog) {
    if (!isToldByTriggers()) {
      publish(claimed, catalog);
      return;
    }
    giveReplicaIdentity(claimed, catalog);
    parts
        .source()
        .publication()
        .includeWhatFits(
            parts.followed(steps),
            parts.config().tableMappings()::filter,
            parts.source().slot().state().isPresent());
  }

  private void giveReplicaIdentity(Checkpoint claimed, SourceCatalog catalog) {
    TableMappings mappings = parts.config().tableMappings();
    if (parts.config().source().replicaIdentityFull()) {
      parts
          .source()
          .publication()
          .giveReplicaIdentity(
              catalog,
              table -> mappings.filter(table).isPresent() || mappings.wantsOldRows(table),
              (table, before) -> parts.identityNotes().note(claimed, table, before));
    }
  }

  public Duration consistencyTimeout() {
    return parts.config().taskSettings().fullLoadSettings().transactionConsistencyTimeout();
  }

  public Capture startCapture(Checkpoint claimed, Position from, SourceCatalog catalog) {
    Capture capture =
        parts
            .source()
            .startCapture(
                new CaptureRequest(
                    claimed.epoch(),
                    from,
                    kafka,
                    parts.topics(),
                    parts.config().taskSettings().sluice().maxValueSize(),
                    CaptureRequest.IDLE_AFTER),
                catalog,
                isToldByTriggers(),
                parts.config().tableMappings()::selects,
                parts.config().tableMappings()::wantsOldRows);
    board.capture(capture);
    return capture;
  }

  public String topicId() {
    return journal
        .topicId()
        .orElseThrow(
            () ->
                new SluiceException.Retryable(
                    "the topic " + parts.topics().journal() + " is not there", null))
        .toString();
  }

  public Checkpoint.SourceServer sourceServer() {
    SourceIdentity identity = parts.source().identity();
    return new Checkpoint.SourceServer(
        Long.toUnsignedString(identity.systemIdentifier()), identity.timeline());
  }

  /**
   * What the start rule looks at.
   *
   * @param claimed at the place of the lane that has got least far
   * @param highestOffset from which a lane reads: one above the journal's end says that all count
   *     in another journal
   */
  public StartRule.Facts facts(Checkpoint claimed, long highestOffset) {
    SourceIdentity now = parts.source().identity();
    Checkpoint.SourceServer then = claimed.source().orElse(sourceServer());
    long start = journal.startOffset();
    long end = journal.endOffset();
    boolean sameTopic =
        claimed.journalTopicId().equals(Optional.of(topicId())) && highestOffset <= end;
    boolean believed = sameTopic && claimed.nextOffset() <= end;
    return new StartRule.Facts(
        parts.source().slot().name(),
        parts.source().slot().state(),
        claimed.position(),
        journal.lastWhole(
            believed ? claimed.nextOffset() : start,
            claimed.journalTerm(),
            claimed.journalTransaction()),
        sameTopic,
        claimed.nextOffset(),
        start,
        end,
        new StartRule.History(Long.parseUnsignedLong(then.systemIdentifier()), then.timeline()),
        new StartRule.History(now.systemIdentifier(), now.timeline()),
        parts.source().leftTimeline(then.timeline(), now.timeline()));
  }

  Checkpoint readingFrom(Checkpoint claimed, long offset) {
    return claimed.setTo(
        new JournalOffset(
            claimed.position(), claimed.journalTerm(), claimed.journalTransaction(), offset),
        Optional.of(topicId()));
  }
}
