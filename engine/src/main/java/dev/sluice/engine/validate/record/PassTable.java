package dev.sluice.engine.validate.record;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Optional;

/**
 * What a pass says of a table. Immutable.
 *
 * @param table its name on the source
 * @param target its name on the target
 * @param key its key's columns on the source; empty if it has none
 * @param verdict in words
 * @param rows that were read to the table's end; empty if it was not read completely in this pass
 * @param notCompared columns that are not compared, with the reason
 * @param differing rows that are listed as different
 */
public record PassTable(
    TableId table,
    TableId target,
    List<String> key,
    String verdict,
    Optional<Long> rows,
    List<String> notCompared,
    List<Differing> differing) {
  /** The verdict of a table of which every row is proven equal. */
  public static final String EQUAL = "equal";

  public PassTable {
    key = List.copyOf(key);
    notCompared = List.copyOf(notCompared);
    differing = List.copyOf(differing);
  }

  public boolean isEqual() {
    return verdict.equals(EQUAL);
  }

  /**
   * A row that is listed as different.
   *
   * @param kind DMS's word
   * @param key as JSON; of a table without a key the complete row
   * @param confirmed whether two sessions have found the same
   */
  public record Differing(String kind, String key, boolean confirmed) {}
}
