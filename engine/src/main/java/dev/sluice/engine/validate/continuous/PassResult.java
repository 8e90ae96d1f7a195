package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * The result of reading tables once. Immutable.
 *
 * @param lines one for each table, and one with the totals
 * @param repaired rows that were repaired meanwhile
 * @param equal the tables of which every row is proven equal
 */
public record PassResult(Verdict verdict, List<String> lines, long repaired, List<TableId> equal) {
  public PassResult {
    lines = List.copyOf(lines);
    equal = List.copyOf(equal);
  }

  PassResult(Verdict verdict, List<String> lines, long repaired) {
    this(verdict, lines, repaired, List.of());
  }

  PassResult with(List<TableId> proven) {
    return new PassResult(verdict, lines, repaired, proven);
  }

  /** The result for all tables. */
  public enum Verdict {
    /** Every row of every table is proven equal. */
    EQUAL("equal"),
    NOT_EQUAL("NOT equal"),
    /** A table could not be compared, or rows kept changing. */
    NOT_PROVEN("not proven");

    private final String words;

    Verdict(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }

    /** The verdict of both together. */
    Verdict and(Verdict other) {
      if (this == NOT_EQUAL || other == NOT_EQUAL) {
        return NOT_EQUAL;
      }
      return this == NOT_PROVEN ? this : other;
    }
  }
}
