package dev.sluice.connector.generic.config;

import dev.sluice.config.TableId;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The columns that the connector leaves out, as Debezium reads the list: each is a regular
 * expression for the column's whole name. Immutable.
 */
public record ExcludedColumns(List<Pattern> patterns) {
  public ExcludedColumns {
    patterns = List.copyOf(patterns);
  }

  /**
   * @param list of {@code column.exclude.list}
   */
  public static ExcludedColumns of(Optional<String> list) {
    return new ExcludedColumns(
        list.stream()
            .flatMap(text -> Arrays.stream(text.split("(?<!\\\\),")))
            .map(each -> Pattern.compile(each.strip(), Pattern.CASE_INSENSITIVE))
            .toList());
  }

  public boolean has(TableId table, String column) {
    String name = table.schema() + "." + table.name() + "." + column;
    return patterns.stream().anyMatch(pattern -> pattern.matcher(name).matches());
  }
}
