package dev.sluice.engine.validate.continuous;

import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.validate.record.PassRecord;
import dev.sluice.engine.validate.record.PassTable;
import dev.sluice.engine.validate.record.RecordHead;
import dev.sluice.engine.validate.session.SessionFindings;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Who waits for a pass, and the records that are written of the running one. A pass answers the
 * requests that were made before it began. Owned by the thread of the validation; requests may be
 * made by any.
 */
final class PassRequests {
  private final Queue<Request> waiting = new ConcurrentLinkedQueue<>();

  /** The requests that the running pass answers. */
  private final List<Request> served = new ArrayList<>();

  /** The records of the running pass, each with who waits for it. */
  private final Map<PassRecord, Request> records = new LinkedHashMap<>();

  private record Request(
      PassScope scope, Optional<Path> record, CompletableFuture<PassResult> answer) {}

  /**
   * Requests a pass.
   *
   * @param record the file for the record of the pass; empty without one
   */
  CompletableFuture<PassResult> add(PassScope scope, Optional<Path> record) {
    Request request = new Request(scope, record, new CompletableFuture<>());
    waiting.add(request);
    return request.answer();
  }

  /** What the next pass is to read; empty if nobody waits. */
  Optional<PassScope> next() {
    return Optional.ofNullable(waiting.peek()).map(Request::scope);
  }

  /** Refuses the requests for this scope. */
  void refuse(PassScope scope, SluiceException why) {
    take(scope).forEach(request -> request.answer().completeExceptionally(why));
  }

  /** Refuses all requests that no pass answers yet. */
  void refuseAll(SluiceException why) {
    for (Request request = waiting.poll(); request != null; request = waiting.poll()) {
      request.answer().completeExceptionally(why);
    }
  }

  /**
   * A pass begins; it answers the requests for its scope.
   *
   * @param head of the records, if there are any
   */
  void begin(PassScope scope, Supplier<RecordHead> head, Instant now) {
    for (Request request : take(scope)) {
      served.add(request);
      try {
        if (request.record().isPresent()) {
          records.put(PassRecord.begin(request.record().get(), head.get(), now), request);
        }
      } catch (SluiceException e) {
        request.answer().completeExceptionally(e);
      }
    }
  }

  private List<Request> take(PassScope scope) {
    List<Request> taken = new ArrayList<>();
    for (Iterator<Request> each = waiting.iterator(); each.hasNext(); ) {
      Request request = each.next();
      if (request.scope().equals(scope)) {
        each.remove();
        taken.add(request);
      }
    }
    return taken;
  }

  /** Whether the running pass is recorded. */
  boolean isRecorded() {
    return !records.isEmpty();
  }

  /** Adds a session's findings to the records. */
  void add(SessionFindings found, Instant now) {
    records.keySet().forEach(record -> record.add(found, now));
  }

  /** The pass has ended: completes its records, then answers its requests. */
  void complete(List<PassTable> tables, PassResult result, Instant now) {
    records.forEach(
        (record, request) -> {
          try {
            record.complete(tables, result.lines().get(result.lines().size() - 1), now);
          } catch (SluiceException e) {
            request.answer().completeExceptionally(e);
          }
        });
    records.clear();
    PassResult answer =
        result.with(tables.stream().filter(PassTable::isEqual).map(PassTable::table).toList());
    served.forEach(request -> request.answer().complete(answer));
    served.clear();
  }

  /** No pass ends any more. */
  void close() {
    SluiceException ending = new SluiceException.Retryable("the replication is ending", null);
    waiting.forEach(request -> request.answer().completeExceptionally(ending));
    served.forEach(request -> request.answer().completeExceptionally(ending));
    records.keySet().forEach(PassRecord::close);
  }
}
