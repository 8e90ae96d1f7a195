package dev.sluice.engine.load;

import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.load.log.LoadMarks;
import dev.sluice.load.log.StepMark;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;

/** Makes the marks with which the segments of one attempt record their progress on the target. */
public interface AttemptMarks {

  /**
   * Marks that record nothing: nothing of an interrupted attempt is kept, and a changed table ends
   * the attempt.
   *
   * @param fence checked by each step
   */
  static AttemptMarks none(EpochFence fence) {
    return new AttemptMarks() {
      @Override
      public StepMark of(Segment segment) {
        return new StepMark() {
          @Override
          public void write(
              TargetConnection connection, long before, long rows, long bytes, boolean last)
              throws SQLException {
            fence.require(connection);
          }

          @Override
          public boolean tellsStepsApart() {
            return false;
          }
        };
      }

      @Override
      public boolean keepWholeTables() {
        return false;
      }
    };
  }

  StepMark of(Segment segment);

  /** Whether complete tables of an interrupted attempt are kept. */
  boolean keepWholeTables();

  /**
   * Marks that are stored in the control schema.
   *
   * @param attempt the epoch of the attempt
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
