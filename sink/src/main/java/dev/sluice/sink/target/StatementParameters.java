package dev.sluice.sink.target;

import java.util.ArrayList;
import java.util.List;

/**
 * The parameters of a statement that may need one value for two parameters. Immutable.
 *
 * @param values for each parameter the index of its value
 */
public record StatementParameters(List<Integer> values) {
  /** A parameter with the value of the one before it. */
  public static final String AGAIN = "?/*again*/";

  public static StatementParameters of(String sql) {
    List<Integer> values = new ArrayList<>();
    int value = -1;
    boolean quoted = false;
    for (int i = 0; i < sql.length(); i++) {
      char c = sql.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == '?' && !quoted) {
        if (!sql.startsWith(AGAIN, i)) {
          value++;
        }
        values.add(value);
      }
    }
    return new StatementParameters(List.copyOf(values));
  }
}
