package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.RowKey;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A row that is not the same on both sides. Immutable.
 *
 * @param key as the source has it, else as the target has it; empty for a table without a key
 * @param source the values as they should be on the target; empty if the source has no such row
 * @param target the values on the target; empty if it has no such row
 */
public record RowDifference(RowKey key, Optional<Image> source, Optional<Image> target) {

  /** What is wrong. */
  public enum Kind {
    MISSING,
    EXTRA,
    DIFFERENT
  }

  public Kind kind() {
    return target.isEmpty() ? Kind.MISSING : source.isEmpty() ? Kind.EXTRA : Kind.DIFFERENT;
  }

  /**
   * The values of a row as text.
   *
   * @param values in the order of the compared columns; null for NULL
   */
  public record Image(List<String> values) {
    public Image {
      values = Collections.unmodifiableList(Arrays.asList(values.toArray(new String[0])));
    }
  }
}
