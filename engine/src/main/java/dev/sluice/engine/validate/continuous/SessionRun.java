package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.engine.validate.schedule.SessionTiming.Ended;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.sink.lane.LaneId;
import java.time.Instant;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a session that is planned, and takes over what it found. Owned by the thread of the
 * validation.
 */
final class SessionRun {
  private static final Logger LOG = LoggerFactory.getLogger(SessionRun.class);

  private final LaneSessions sessions;
  private final SessionResults results;
  private final WantedPasses wanted;
  private final TrackedTables followed;
  private final ProgressReport report;
  private final SessionPace pace;

  SessionRun(
      LaneSessions sessions,
      SessionResults results,
      WantedPasses wanted,
      TrackedTables followed,
      ProgressReport report,
      SessionPace pace) {
    this.sessions = sessions;
    this.results = results;
    this.wanted = wanted;
    this.followed = followed;
    this.report = report;
    this.pace = pace;
  }

  /** There is nothing to compare at present. */
  void nothing(Instant now) {
    pace.nothingDone(now);
    report.publish("");
  }

  /**
   * Compares what is planned of one lane.
   *
   * @param tables take over what was found
   * @return what was found; without tables if nothing was planned
   */
  SessionFindings run(LaneId lane, SessionPlans plans, ValidatedTables tables, Instant now)
      throws InterruptedException {
    if (plans.all().isEmpty()) {
      nothing(now);
      return SessionFindings.NOTHING;
    }
    SessionFindings found = sessions.run(lane, wanted.recorded(plans.all()));
    Ended session = pace.ended(now, hasRead(found));
    LOG.atDebug()
        .addArgument(session.took().toMillis())
        .addArgument(found::words)
        .log("a session took {} ms: {}");
    if (found.hadNoTime()) {
      wanted.hadNoTime(plans.all().get(0).table());
    }
    if (found.obstacle().isPresent()) {
      report.publish(found.obstacle().get().why());
      return found;
    }
    SessionResults.Compared compared =
        results.take(withoutNotApplied(found), plans, tables, session.at());
    report.session(compared.rows(), compared.keys(), session.took());
    report.publish("");
    return found;
  }

  /** Rows that keep changing, and tables that others have locked, are given some time. */
  private static boolean hasRead(SessionFindings found) {
    return found.tables().stream().anyMatch(table -> !table.chunks().isEmpty());
  }

  /** A table that was suspended or reloaded since the session began may be empty on the target. */
  private SessionFindings withoutNotApplied(SessionFindings found) {
    Predicate<TableId> applied = followed.applied();
    return new SessionFindings(
        found.obstacle(),
        found.proof(),
        found.tables().stream().filter(table -> applied.test(table.table())).toList());
  }
}
