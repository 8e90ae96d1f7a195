package dev.sluice.engine.validate.continuous;

import java.util.List;

/**
 * The result of reading tables once. Immutable.
 *
 * @param lines one for each table, and one with the totals
 * @param repaired rows that were repaired meanwhile
 */
public record PassResult(Verdict verdict, List<String> lines, long repaired) {
  public PassResult {
    lines = List.copyOf(lines);
  }

  /** The result for all tables. */
  public enum Verdict {
    /** Every row of every table is proven equal. */
    EQUAL,
    NOT_EQUAL,
    /** A table could not be compared, or rows kept changing. */
    NOT_PROVEN
  }
}
