package dev.sluice.connector.generic.start;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.database.DatabaseFacts;
import dev.sluice.connector.generic.database.LogStart;
import dev.sluice.connector.generic.database.PostgresSlot;
import dev.sluice.connector.generic.database.SlotClaim;
import dev.sluice.connector.generic.record.Bookmark;
import dev.sluice.connector.journal.SourceNotes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks, at the start of a capture, whether the log and the tables of the source are those of the
 * journal; no connector does that. Immutable.
 *
 * @param claim the held claim of the task's slot; empty if the task has none
 */
public record StartedSource(JdbcServer server, CaptureRequest request, Optional<SlotClaim> claim) {
  private static final Logger LOG = LoggerFactory.getLogger(StartedSource.class);

  /**
   * Prepares the source for a snapshot.
   *
   * @return the definitions with which it begins
   */
  public CapturedDefinitions begin(JournaledStart start, Collection<TableId> tables) {
    claim.filter(name -> server.config().takeSlot()).ifPresent(StartedSource::refuseDrop);
    // Debezium's snapshot fits only a slot that Debezium creates. So the slot of an attempt that
    // journaled nothing is useless; its name was recorded as the task's own.
    claim.ifPresent(name -> new PostgresSlot(server).drop(name));
    CapturedDefinitions now = CapturedDefinitions.now(server, tables);
    now.store(notes(), start.position(), request.term());
    keepLogEnd(start);
    return now;
  }

  /** Refused, since it is not known who created the slot, and its log would be lost. */
  private static void refuseDrop(SlotClaim name) {
    throw new SluiceException.Fatal(
        new Problem(
            "replication slot " + name.slot(),
            "the task has not begun at a place of its log, so it would be dropped and created again",
            "a slot without source.debezium.take-slot: true, which says that it was made before the task",
            "To follow its log, change the task's name, and start at a place that the slot has:"
                + " cdc-start-position. Remove source.debezium.take-slot only if nothing of its log"
                + " is needed any more"));
  }

  /**
   * Compares the source with the journal.
   *
   * @return the definitions with which the snapshot began
   * @throws SluiceException.Fatal with all problems, if there is any
   */
  public CapturedDefinitions same(JournaledStart start, Collection<TableId> tables) {
    Bookmark bookmark = start.bookmark().orElseThrow();
    List<Problem> problems = new ArrayList<>();
    server
        .ask(
            "compare the log with the journal",
            session -> DatabaseFacts.of(server.config()).otherHistory(session, bookmark))
        .ifPresent(problems::add);
    otherLog(start).ifPresent(problems::add);
    if (claim.isPresent()) {
      new PostgresSlot(server).lost(bookmark).ifPresent(problems::add);
    }
    CapturedDefinitions begun = CapturedDefinitions.stored(notes(), start.position()).of(tables);
    problems.addAll(begun.changed(server));
    problems.addAll(changedSince(start, tables));
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
    keepLogEnd(start);
    Set<TableId> missing = new TreeSet<>(tables);
    missing.removeAll(begun.tables().keySet());
    return missing.isEmpty() ? begun : begun.and(keptFromNowOn(start, missing));
  }

  /**
   * Why changes after the place of a start may not be read as they were written. A start is
   * repeated from the place until something is journaled, and the log grows until then. None of a
   * start elsewhere.
   */
  public List<Problem> changedSince(JournaledStart start, Collection<TableId> tables) {
    return start.isPlace()
        ? LogStart.of(server.config())
            .map(
                log ->
                    server.ask(
                        "look for changed definitions",
                        session ->
                            log.changedSince(
                                session, start.bookmark().orElseThrow().offset(), tables)))
            .orElse(List.of())
        : List.of();
  }

  /** Compares the log with its state when the last capture began. */
  private Optional<Problem> otherLog(JournaledStart start) {
    return notes().read(logName(start)).entrySet().stream()
        .max(Comparator.comparingLong(note -> Long.parseLong(note.getKey())))
        .flatMap(
            note ->
                server.ask(
                    "compare the log with what it had",
                    session ->
                        DatabaseFacts.of(server.config()).otherLog(session, note.getValue())));
  }

  private void keepLogEnd(JournaledStart start) {
    server
        .ask("read the log's end", session -> DatabaseFacts.of(server.config()).logEnd(session))
        .ifPresent(
            end -> notes().write(logName(start), Map.of(String.valueOf(request.term()), end)));
  }

  private static String logName(JournaledStart start) {
    return "log " + AttemptPosition.beginningOf(start.position()).high() + " ";
  }

  /**
   * An earlier version of Sluice, which began the task, kept none; a start may have been killed.
   */
  private CapturedDefinitions keptFromNowOn(JournaledStart start, Collection<TableId> tables) {
    CapturedDefinitions now = CapturedDefinitions.now(server, tables);
    now.store(notes(), start.position(), request.term());
    LOG.warn(
        "topic {} does not have the definitions with which the tables {} were loaded, as with a"
            + " task that an earlier version began; the present ones are kept from now on. Whether"
            + " a definition has changed, or a table was replaced, since the load is not known",
        request.topics().schemas(),
        tables);
    return now;
  }

  private SourceNotes notes() {
    return new SourceNotes(request.producerProperties(), request.topics());
  }
}
