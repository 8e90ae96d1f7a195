package dev.sluice.sink.control.report;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.sink.replay.SourceTransaction;
import java.util.List;

/**
 * A change that the target rejected: a row of {@code sluice_apply_exceptions}. Immutable.
 *
 * @param source the source table
 * @param target the target table
 * @param kind kind of the error, which selects the policy
 * @param action what was done about the change
 * @param operation INSERT, UPDATE, DELETE or TRUNCATE
 * @param keyed whether the table has a key
 * @param key the values that match the row: for an INSERT those of the new row, for a table without
 *     a key all values; null if the change has no row
 * @param row the new row, without unchanged values that the log does not repeat; null if there is
 *     none
 * @param ordinal the change's number in the transaction, from 1
 * @param sqlState SQLSTATE of the error; empty if the target raised none
 * @param error the target's message, or what was found and expected
 */
public record ApplyException(
    TableId source,
    TableId target,
    ErrorKind kind,
    ErrorAction action,
    String operation,
    boolean keyed,
    Values key,
    Values row,
    SourceTransaction transaction,
    long ordinal,
    String sqlState,
    String error) {

  /** The values of some columns, null for NULL; both lists have one entry for each column. */
  public record Values(List<String> names, List<String> texts) {

    private long characters() {
      return texts.stream().mapToLong(text -> text == null ? 0 : text.length()).sum();
    }

    /** For messages: {@code (id=5, name=null)}. */
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder("(");
      for (int i = 0; i < names.size(); i++) {
        text.append(i == 0 ? "" : ", ").append(names.get(i)).append('=').append(texts.get(i));
      }
      return text.append(')').toString();
    }
  }

  /** The number of characters of its long fields, as a measure of its memory. */
  public long characters() {
    return error.length()
        + (key == null ? 0 : key.characters())
        + (row == null ? 0 : row.characters());
  }

  /** The change with its key, for messages. */
  public String statement() {
    return "%s on %s%s%s"
        .formatted(
            operation,
            target,
            keyed ? "" : ", a table without a key,",
            key == null ? "" : " " + key);
  }
}
