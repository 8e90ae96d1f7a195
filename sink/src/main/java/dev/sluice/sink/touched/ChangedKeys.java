package dev.sluice.sink.touched;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The keys of the rows that a change touches. Stateless. */
final class ChangedKeys {
  private ChangedKeys() {}

  /** Names of the key's columns. */
  static List<String> columns(RowSchema schema) {
    return IntStream.of(schema.key()).mapToObj(at -> schema.columns().get(at).name()).toList();
  }

  /** The old key and, if it is another one, the new key of a change in a table with a key. */
  static void of(RowChange change, Consumer<Row> keys) {
    Row match = change.match();
    Row row = change.row();
    if (match != null) {
      keys.accept(match);
    }
    if (row != null && (match == null || !change.schema().isMatchOf(match, row))) {
      keys.accept(change.schema().matchOf(row));
    }
  }
}
