package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.validate.record.RecordHead;
import dev.sluice.engine.validate.session.JournalKeys;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionLimits;
import dev.sluice.engine.validate.session.TablePlan;
import dev.sluice.sink.lane.LaneId;
import java.util.List;
import java.util.Optional;

/** Runs sessions on both sides. */
interface SessionRunner {

  /**
   * Compares tables of one lane.
   *
   * @param keys the keys of the journal's transactions
   */
  SessionFindings run(LaneId lane, List<TablePlan> plans, JournalKeys keys, SessionLimits limits)
      throws InterruptedException;

  /**
   * Why no session may begin yet; empty if one may.
   *
   * @param keys as in {@link #run}
   */
  Optional<String> obstacle(JournalKeys keys);

  /**
   * Asks both servers who they are, for the head of a record.
   *
   * @param since the position after which every row is read
   */
  RecordHead recordHead(Position since);

  /**
   * Prepares a table of the target for its first pass. May take an hour; called by a thread of its
   * own.
   *
   * @param table its name on the source
   */
  void prepare(TableId table);
}
