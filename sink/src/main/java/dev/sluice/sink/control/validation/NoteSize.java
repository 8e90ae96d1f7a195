package dev.sluice.sink.control.validation;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.StatementLimit;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.Stream;

/** How large the statement is that lists a row, or notes that it was repaired. Stateless. */
final class NoteSize {
  /** The statement without its values, and the short ones. */
  private static final long REST = 8 * 1024;

  private NoteSize() {}

  /** In bytes, and rather too many. */
  static long of(RowFailure row) {
    long bytes = REST + sent(row.key()) + sent(row.differing());
    bytes +=
        Stream.concat(row.source().stream(), row.targetRow().stream())
            .mapToLong(NoteSize::sent)
            .sum();
    return bytes;
  }

  /**
   * @throws SluiceException.Data if the note is larger than a statement may be
   */
  static void requireWithin(StatementLimit limit, RowFailure row) {
    long bytes = of(row);
    if (bytes > limit.bytes()) {
      throw new SluiceException.Data(
          String.format(
              Locale.ROOT,
              "the note of a repair has the row as it was and as it is, %,d bytes, and the target"
                  + " takes %,d: raise %s of its server above that, then repair again",
              bytes,
              limit.bytes(),
              limit.setting()),
          null);
    }
  }

  /** Bytes of a text within a statement, in which some characters may be doubled. */
  private static long sent(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length
        + text.chars().filter(c -> c == '\'' || c == '\\').count();
  }
}
