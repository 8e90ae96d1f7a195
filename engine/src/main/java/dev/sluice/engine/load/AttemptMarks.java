package dev.sluice.engine.load;

import dev.sluice.connector.postgres.load.Segment;
import dev.sluice.load.log.LoadMarks;
import dev.sluice.load.log.StepMark;
import dev.sluice.sink.control.schema.EpochFence;

/** Gives each segment of one attempt the mark that its steps leave on the target. */
public interface AttemptMarks {

  /**
   * Nothing is kept of an attempt that is broken off; a table that changed ends it for all.
   *
   * @param fence asked by each step
   */
  static AttemptMarks none(EpochFence fence) {
    return new AttemptMarks() {
      @Override
      public StepMark of(Segment segment) {
        return (connection, rows, bytes, last) -> fence.require(connection);
      }

      @Override
      public boolean keepWholeTables() {
        return false;
      }
    };
  }

  StepMark of(Segment segment);

  /** Whether the tables that are whole at the end of a broken attempt are kept. */
  boolean keepWholeTables();

  /**
   * Marks in the control schema.
   *
   * @param attempt the epoch under which the segments were begun
   */
  static AttemptMarks in(LoadMarks marks, long attempt) {
    return new AttemptMarks() {
      @Override
      public StepMark of(Segment segment) {
        return marks.of(attempt, segment.table(), segment.number());
      }

      @Override
      public boolean keepWholeTables() {
        return true;
      }
    };
  }
}
