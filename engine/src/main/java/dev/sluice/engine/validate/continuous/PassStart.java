package dev.sluice.engine.validate.continuous;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.record.RecordHead;
import dev.sluice.sink.control.report.RejectedChanges;
import java.time.Instant;
import java.util.Optional;

/** Begins the pass that somebody waits for. Owned by the thread of the validation. */
final class PassStart {
  private final TaskContext context;
  private final WantedPasses wanted;
  private final TrackedTables followed;
  private final RejectedChanges rejected;

  PassStart(TaskContext context, WantedPasses wanted, TrackedTables followed) {
    this.context = context;
    this.wanted = wanted;
    this.followed = followed;
    this.rejected = new RejectedChanges(context.controlSchema(), context.task());
  }

  /** Begins a pass if one is due; returns whether it has begun. */
  boolean beginIfDue(Instant now) {
    Optional<PassScope> due = wanted.due(now);
    return due.isPresent() && begin(due.get(), now);
  }

  private boolean begin(PassScope scope, Instant now) {
    ValidatedTables tables = followed.load(now);
    try {
      tables.requireReplicated(scope.only());
    } catch (SluiceException e) {
      wanted.refuse(scope, e);
      return false;
    }
    if (scope.repairs()) {
      tables.compareAgain(scope);
    }
    wanted.begin(
        scope,
        () -> rejected.newest(context.target()),
        context.source().log()::lastTransaction,
        this::recordHead,
        now);
    wanted.running().ifPresent(pass -> tables.readAgain(scope, pass.since()));
    return true;
  }

  /**
   * Asks both servers who they are, for the head of a record.
   *
   * @param since the position after which every row is read
   */
  private RecordHead recordHead(Position since) {
    return new RecordHead(
        context.config(),
        context.ownership().mark().id().toString(),
        context.source().comparison().identity(),
        context.target().comparison().identity(),
        context.source().comparison().settings(),
        since);
  }
}
