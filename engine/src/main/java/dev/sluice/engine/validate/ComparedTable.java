package dev.sluice.engine.validate;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * The result of comparing a table on source and target row by row. Immutable.
 *
 * @param table its name on the source
 * @param target its name on the target
 * @param sourceRows rows on the source
 * @param targetRows rows on the target
 * @param equal rows that are on both sides with the same text in every common column
 * @param differing rows with the same key and another text in some column
 * @param missing rows of the source that the target lacks
 * @param extra rows of the target that the source lacks
 * @param examples up to ten of the differing, missing and extra rows, by key
 */
public record ComparedTable(
    TableId table,
    TableId target,
    long sourceRows,
    long targetRows,
    long equal,
    long differing,
    long missing,
    long extra,
    List<String> examples) {
  public ComparedTable {
    examples = List.copyOf(examples);
  }

  /** Whether both sides have the same rows. */
  public boolean isEqual() {
    return differing == 0 && missing == 0 && extra == 0;
  }
}
