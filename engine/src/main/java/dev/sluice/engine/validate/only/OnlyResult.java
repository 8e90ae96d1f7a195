package dev.sluice.engine.validate.only;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.engine.validate.record.PassTable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of comparing both sides as they are. Immutable.
 *
 * @param lines one for each table and view, and one with the totals
 * @param tables what the record says of each table
 */
public record OnlyResult(Verdict verdict, List<String> lines, List<PassTable> tables) {

  /** The result for one table, or for all. */
  public enum Verdict {
    EQUAL("equal"),
    /** Some table could not be compared completely, or rows changed between two checks. */
    NOT_PROVEN("not proven"),
    /** Rows were different in two checks. */
    NOT_EQUAL("NOT equal");

    private final String words;

    Verdict(String words) {
      this.words = words;
    }

    /** For messages. */
    String words() {
      return words;
    }

    private Verdict or(Verdict other) {
      return compareTo(other) > 0 ? this : other;
    }
  }

  public OnlyResult {
    lines = List.copyOf(lines);
    tables = List.copyOf(tables);
  }

  /**
   * The result of all tables.
   *
   * @param views that are selected: they are not compared
   */
  static OnlyResult of(List<OnlyTable> tables, List<TableId> views, Instant begun, Instant ended) {
    List<String> lines = new ArrayList<>();
    Verdict all = tables.isEmpty() ? Verdict.NOT_PROVEN : Verdict.EQUAL;
    long rows = 0;
    for (OnlyTable table : tables) {
      lines.add(table.line());
      rows += table.rows();
      all = all.or(table.verdict());
    }
    for (TableId view : views) {
      lines.add(view + ": not proven: views are not compared");
      all = all.or(Verdict.NOT_PROVEN);
    }
    lines.add(
        "%s: %s, %s; both sides were read as they were between %s and %s"
            .formatted(
                all.words,
                Counted.of(tables.size(), "table"),
                Counted.of(rows, "row"),
                begun.truncatedTo(ChronoUnit.SECONDS),
                ended.truncatedTo(ChronoUnit.SECONDS)));
    return new OnlyResult(all, lines, tables.stream().map(OnlyTable::recorded).toList());
  }
}
