package dev.sluice.sink.control.report;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.sink.replay.SourceTransaction;
import java.util.List;

/**
 * A change that the target did not take: a row of {@code sluice_apply_exceptions}. Immutable.
 *
 * @param source the source table
 * @param target the target table
 * @param kind of the error, by whose policy it went
 * @param action what was done about it
 * @param operation INSERT, UPDATE, DELETE or TRUNCATE
 * @param keyed whether the table has a key
 * @param key what finds the row: for an INSERT the new row's, for a table without a key the whole
 *     row; null for what is of no row
 * @param row what the change leaves, without values that the log does not repeat; null for none
 * @param ordinal the change's place in the transaction, from 1
 * @param sqlState empty where the target raised no error
 * @param error what the target said, or what was met instead of what was expected
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

  /** Some columns' values, null for NULL; both lists have one entry for each column. */
  public record Values(List<String> names, List<String> texts) {

    private long characters() {
      return texts.stream().mapToLong(text -> text == null ? 0 : text.length()).sum();
    }

    /** For people: {@code (id=5, name=NULL)}. */
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder("(");
      for (int i = 0; i < names.size(); i++) {
        text.append(i == 0 ? "" : ", ").append(names.get(i)).append('=').append(texts.get(i));
      }
      return text.append(')').toString();
    }
  }

  /** What it takes to hold it, but for what is small anyway. */
  public long characters() {
    return error.length()
        + (key == null ? 0 : key.characters())
        + (row == null ? 0 : row.characters());
  }

  /** The change for people, with its key. */
  public String statement() {
    return "%s on %s%s%s"
        .formatted(
            operation,
            target,
            keyed ? "" : ", a table without a key,",
            key == null ? "" : " " + key);
  }
}
