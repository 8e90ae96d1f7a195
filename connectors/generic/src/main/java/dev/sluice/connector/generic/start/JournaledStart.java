package dev.sluice.connector.generic.start;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.AppliedJournal;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.generic.record.Bookmark;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.journal.JournalTail;
import dev.sluice.connector.journal.Publisher;
import dev.sluice.connector.journal.SourceNotes;
import java.util.Optional;

/**
 * Where a connector goes on, and the number that its last transaction has. Both are read after the
 * term's first record is in the journal, and only from what is before it: from there on the sink
 * drops whatever an earlier capture still writes, so nothing can come between. Immutable.
 *
 * @param position of the last transaction that target or journal have
 * @param bookmark of that transaction; empty if the connector begins without an offset
 * @param isPlace whether it begins there, at a place that the task file names
 */
public record JournaledStart(Position position, Optional<Bookmark> bookmark, boolean isPlace) {

  public JournaledStart(Position position, Optional<Bookmark> bookmark) {
    this(position, bookmark, false);
  }

  /**
   * Reads the journal as the sink does.
   *
   * @param begun the publisher of the term that begins
   * @throws SluiceException.Retryable if a newer term has begun
   * @throws SluiceException.Fatal if the journal does not have the bookmark: the connector would
   *     begin at the present, and skip what is between
   */
  public static JournaledStart of(Journal journal, CaptureRequest request, Publisher begun) {
    AppliedJournal applied = request.applied();
    JournalTail tail =
        journal.tailBefore(
            begun.begunAt(), applied.nextOffset(), applied.term(), applied.transaction());
    if (tail.newestTerm() >= request.term()) {
      throw new SluiceException.Retryable(
          "term %d of the journal began before term %d: another daemon has taken over the task"
              .formatted(tail.newestTerm(), request.term()),
          null);
    }
    Position last =
        tail.furthest()
            .map(end -> end.position().max(applied.position()))
            .orElse(applied.position());
    if (request.start().isAfter(last) && !AttemptPosition.isBeginning(request.start())) {
      throw missing(request.start());
    }
    if (!AttemptPosition.areOfOneAttempt(last, request.start())) {
      requireLater(request.start(), last);
      return new JournaledStart(request.start(), Optional.empty());
    }
    if (AttemptPosition.isBeginning(last)) {
      return new JournaledStart(last, Optional.empty());
    }
    Optional<Bookmark> place =
        StartPlace.stored(new SourceNotes(request.producerProperties(), request.topics()), last);
    if (place.isPresent()) {
      return new JournaledStart(last, place, true);
    }
    Optional<String> text =
        tail.furthest()
            .filter(end -> end.position().equals(last))
            .map(end -> Optional.of(end.bookmark()).filter(found -> !found.isEmpty()))
            .orElseGet(() -> journal.bookmarkOf(applied.term(), applied.transaction()));
    return new JournaledStart(
        last, Optional.of(Bookmark.parse(text.orElseThrow(() -> missing(last)))));
  }

  /** With an earlier time all that comes now would count as applied. */
  private static void requireLater(Position start, Position last) {
    if (last.isAfter(start)) {
      throw new SluiceException.Fatal(
          new Problem(
              "the journal",
              "it has transaction %s of another load".formatted(last),
              "none after " + start + ", the time at which this load began",
              "The clock of this machine was set back. Correct it; then sluice stop --drop removes"
                  + " the task, and the next run loads the tables"));
    }
  }

  private static SluiceException.Fatal missing(Position position) {
    return new SluiceException.Fatal(
        new Problem(
            "the journal",
            "it does not have Debezium's offset after transaction " + position,
            "the record with the end of the last applied transaction",
            "If the topic was deleted or restored, load the tables again: sluice stop --drop"
                + " removes the task, and the next run loads them"));
  }
}
