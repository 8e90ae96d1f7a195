package dev.sluice.engine.validate.session;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.RowKey;
import java.util.List;
import java.util.Optional;

/**
 * What a session found in one table. Immutable.
 *
 * @param table its name on the source
 * @param end how the comparison of the table ended
 * @param why for messages; empty after DONE
 * @param columns names on the source of the compared columns, in the order of the values of
 *     differences
 * @param chunks chunks that were read on both sides, equal or not, in the order of their keys; the
 *     next session must read an unequal one again if it was not resolved
 * @param rest the parts of the plan that must be read again or were not read
 * @param equalKeys touched keys whose rows are equal or exist on neither side
 * @param differences rows that are different, as far as they were read
 * @param hotKeys keys that should be looked up, and were skipped because they changed meanwhile
 * @param notCompared columns that are not compared
 * @param notes notes such as stale collations, for messages
 */
public record TableFindings(
    TableId table,
    End end,
    Optional<String> why,
    List<String> columns,
    List<ChunkProof> chunks,
    List<ChunkBounds> rest,
    List<RowKey> equalKeys,
    List<RowDifference> differences,
    List<RowKey> hotKeys,
    List<UncomparedColumn> notCompared,
    List<String> notes) {

  /** How the comparison of a table ended. */
  public enum End {
    /** Everything that was planned was compared. */
    DONE,
    /** The session's time was over before everything that was planned was compared. */
    OUT_OF_TIME,
    /** Others needed a lock; results from before are valid. */
    BLOCKED,
    /** The table changed, or too many of its rows did: no result is valid. */
    VOID,
    /** The table cannot be compared until somebody changes something. */
    REFUSED
  }

  public TableFindings {
    columns = List.copyOf(columns);
    chunks = List.copyOf(chunks);
    rest = List.copyOf(rest);
    equalKeys = List.copyOf(equalKeys);
    differences = List.copyOf(differences);
    hotKeys = List.copyOf(hotKeys);
    notCompared = List.copyOf(notCompared);
    notes = List.copyOf(notes);
  }

  /** A table without a valid result: everything that was planned must be read again. */
  static TableFindings without(ComparisonPlan plan, End end, String why, List<String> notes) {
    return new TableFindings(
        plan.table(),
        end,
        Optional.of(why),
        List.of(),
        List.of(),
        List.copyOf(plan.ranges()),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        notes);
  }

  /** Whether everything planned was compared and is equal. */
  public boolean isProven() {
    return end == End.DONE
        && differences.isEmpty()
        && chunks.stream().allMatch(ChunkProof::isEqual);
  }

  /** Whether the session's time was over before anything of the table was compared. */
  public boolean isUntried() {
    return end == End.OUT_OF_TIME
        && chunks.isEmpty()
        && equalKeys.isEmpty()
        && differences.isEmpty()
        && hotKeys.isEmpty();
  }

  /** What was done, for the log. */
  String words() {
    return "%s %s, %d chunks, %d keys equal, %d left out, %d rows differ"
        .formatted(table, end, chunks.size(), equalKeys.size(), hotKeys.size(), differences.size());
  }
}
