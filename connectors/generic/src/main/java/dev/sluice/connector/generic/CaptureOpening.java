package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.database.SlotClaim;
import dev.sluice.connector.generic.start.AttemptPosition;
import dev.sluice.connector.generic.start.CapturedDefinitions;
import dev.sluice.connector.generic.start.JournaledStart;
import dev.sluice.connector.generic.start.StartedSource;
import dev.sluice.connector.generic.start.StopSearch;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.journal.Publisher;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Begins a capture: first its term in the journal, then the earlier records are read, and only then
 * the connector starts. The capture numbers its positions itself, so if it began elsewhere than the
 * journal ends, the same transactions would get other positions. Used by one thread.
 *
 * @param publisher of the term; closed by the capture
 * @param begun when the term began: a snapshot that begins now is not older
 * @param definitions the definitions with which the snapshot began
 */
record CaptureOpening(
    String task,
    JdbcServer server,
    CaptureRequest request,
    CaptureScope scope,
    Publisher publisher,
    Instant begun,
    JournaledStart start,
    CapturedDefinitions definitions) {
  private static final String HISTORY = "schema.history.internal";

  /**
   * Begins the term, and reads the journal.
   *
   * @param claim the held claim of the task's slot; empty if the task has none
   * @param clock the clock for the time of a snapshot
   * @throws SluiceException.Fatal if it lacks Debezium's offset, or the source has given up log
   *     after it
   */
  static CaptureOpening of(
      String task,
      JdbcServer server,
      Optional<SlotClaim> claim,
      CaptureRequest request,
      CaptureScope scope,
      Clock clock) {
    Publisher publisher = Publisher.alone(request);
    try (Journal journal = new Journal(request.producerProperties(), request.topics())) {
      JournaledStart start = JournaledStart.of(journal, request, publisher);
      // The snapshot of an attempt may be started again, long after the attempt began.
      Instant begun = clock.instant();
      if (start.bookmark().isEmpty()) {
        request.stop().ifPresent(stop -> requireLater(stop, begun));
      }
      StartedSource source = new StartedSource(server, request, claim);
      if (start.bookmark().isEmpty() || start.isPlace()) {
        // A later daemon's attempt has a higher number.
        journal.dropHistoriesBefore(AttemptPosition.beginningOf(start.position()).high());
      }
      return new CaptureOpening(
          task,
          server,
          request,
          scope,
          publisher,
          begun,
          start,
          start.bookmark().isPresent()
              ? source.same(start, tables(scope))
              : source.begin(start, tables(scope)));
    } catch (RuntimeException e) {
      publisher.close();
      throw e;
    }
  }

  /**
   * Requires that the stop is later than the beginning: earlier transactions are not among the
   * changes.
   */
  static void requireLater(CdcStop stop, Instant begun) {
    if (stop instanceof CdcStop.AtCommitTime at && !at.time().isAfter(begun)) {
      throw new SluiceException.Fatal(
          new Problem(
              "cdc-stop-position " + stop,
              "the time has passed, and the task begins at " + begun,
              "a time after the beginning of the task",
              "Write a later time"));
    }
  }

  Position position() {
    return start.position();
  }

  private static List<TableId> tables(CaptureScope scope) {
    return scope.tables().published().stream().map(CatalogTable::table).toList();
  }

  /**
   * Starts the capture.
   *
   * @param stopSearch finds the place where the task stops
   * @param closed called when the capture has ended
   */
  GenericCapture start(StopSearch stopSearch, Runnable closed) {
    try {
      return new GenericCapture(
          new GenericCapture.Setup(
              task,
              server.folder(),
              server.config().connectorProperties(),
              request.loads(),
              begun,
              stopSearch,
              this::requireSame,
              history()),
          start,
          publisher,
          scope,
          closed);
    } catch (RuntimeException e) {
      publisher.close();
      throw e;
    }
  }

  /**
   * Compares the definitions once more: the connector may have read one that is newer than the last
   * comparison.
   */
  private void requireSame() {
    List<Problem> changed = new ArrayList<>(definitions.changed(server));
    changed.addAll(
        new StartedSource(server, request, Optional.empty()).changedSince(start, tables(scope)));
    if (!changed.isEmpty()) {
      throw new SluiceException.Fatal(changed);
    }
  }

  private static String historyTopic(CaptureRequest request, JournaledStart start) {
    return request.topics().history(AttemptPosition.beginningOf(start.position()).high());
  }

  /** Each attempt has its own topic, since a snapshot begins with an empty history. */
  private Map<String, String> history() {
    Map<String, String> history = new HashMap<>();
    history.put(HISTORY, "io.debezium.storage.kafka.history.KafkaSchemaHistory");
    history.put(HISTORY + ".kafka.topic", historyTopic(request, start));
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
