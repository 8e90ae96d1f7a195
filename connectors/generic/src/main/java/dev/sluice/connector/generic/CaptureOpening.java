package dev.sluice.connector.generic;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.journal.Journal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where a capture begins, and with what. The journal decides: positions are given by the capture,
 * so one that began before the journal's end would give other positions to the same transactions.
 * Used by one thread.
 *
 * @param journalEnd the journal's end when it was read
 */
record CaptureOpening(
    String task,
    JdbcServer server,
    CaptureRequest request,
    Position start,
    Optional<Bookmark> bookmark,
    long journalEnd) {
  private static final String HISTORY = "schema.history.internal";

  /**
   * Reads the journal.
   *
   * @throws SluiceException.Fatal if it lacks Debezium's offset, or the source has given up log
   *     behind it
   */
  static CaptureOpening of(String task, JdbcServer server, CaptureRequest request) {
    try (Journal journal = new Journal(request.producerProperties(), request.topics())) {
      long end = journal.endOffset();
      Position start =
          journal
              .tail(journal.startOffset(), 0, 0)
              .lastWhole()
              .filter(last -> AttemptPosition.areOfOneAttempt(last, request.start()))
              .map(request.start()::max)
              .orElse(request.start());
      Optional<Bookmark> bookmark =
          AttemptPosition.isBeginning(start) ? Optional.empty() : JournaledStart.of(journal, start);
      return new CaptureOpening(task, server, request, start, bookmark, end);
    }
  }

  /** Starts the capture. */
  GenericCapture start(CaptureScope scope) {
    if (server.config().connector() == KnownConnector.POSTGRESQL) {
      PostgresSlot slot = new PostgresSlot(server);
      if (bookmark.isPresent()) {
        slot.requireNotBeyond(bookmark.get());
      } else {
        // Debezium's snapshot fits only a slot that it makes itself. What an attempt left that
        // journaled nothing has no use; its name was recorded as the task's own.
        slot.drop();
      }
    }
    return new GenericCapture(
        new GenericCapture.Setup(
            task, server.folder(), server.config().connectorProperties(), true, history()),
        bookmark,
        new CaptureRequest(
            request.term(),
            start,
            request.producerProperties(),
            request.topics(),
            request.maxValueSize(),
            request.idleAfter()),
        scope,
        this::requireSameJournal);
  }

  /**
   * An earlier capture that was not quite dead may have written behind the end that was read. From
   * the term's first record on, which is there now, nothing of an earlier one counts.
   */
  private void requireSameJournal() {
    try (Journal journal = new Journal(request.producerProperties(), request.topics())) {
      if (journal.endOffset() != journalEnd + 1) {
        throw new SluiceException.Retryable(
            "an earlier capture has written to the journal while this one started", null);
      }
      if (bookmark.isEmpty()) {
        journal.dropHistories(history -> !history.equals(historyTopic()));
      }
    }
  }

  private String historyTopic() {
    return request.topics().history(AttemptPosition.beginningOf(start).high());
  }

  /** A topic for each attempt, since a snapshot begins with an empty history. */
  private Map<String, String> history() {
    Map<String, String> history = new HashMap<>();
    history.put(HISTORY, "io.debezium.storage.kafka.history.KafkaSchemaHistory");
    history.put(HISTORY + ".kafka.topic", historyTopic());
    history.put(
        HISTORY + ".kafka.bootstrap.servers",
        String.valueOf(request.producerProperties().get("bootstrap.servers")));
    request
        .producerProperties()
        .forEach(
            (name, value) -> {
              history.put(HISTORY + ".producer." + name, String.valueOf(value));
              history.put(HISTORY + ".consumer." + name, String.valueOf(value));
            });
    return history;
  }
}
