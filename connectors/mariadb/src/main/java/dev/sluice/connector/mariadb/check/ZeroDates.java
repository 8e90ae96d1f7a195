package dev.sluice.connector.mariadb.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbIndex;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.connector.mariadb.type.CalendarDay;
import dev.sluice.connector.mariadb.type.RefusedValue;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Searches for dates that PostgreSQL does not have. Queries rows only if an index gives the answer
 * at once; the load reads all others, and names what it finds. Used by one thread.
 *
 * @param values the task file's policy for such dates
 */
record ZeroDates(ValuePolicy values) {
  private static final String FIRST_YEAR = "0001-01-01";

  /** The lowest TIMESTAMP; the zero date is below it. */
  private static final String FIRST_SECOND = "1970-01-01 00:00:01";

  /** The columns in which a refused date was found. */
  List<Problem> problems(MariadbQuery query, MariadbTable table) throws SQLException {
    List<Problem> problems = new ArrayList<>();
    for (MariadbColumn column : table.columns()) {
      if (isRefused(table, column) && isFirstOfAnIndex(table, column)) {
        first(query, table, column)
            .ifPresent(
                found ->
                    problems.add(
                        RefusedValue.date(
                            column.declared().toString(),
                            CalendarDay.before(found.getBytes(StandardCharsets.UTF_8)),
                            "")));
      }
    }
    return problems;
  }

  /** A key of the target that a rule defines, and that would get NULL in place of a date. */
  Optional<Problem> problemOfKey(MariadbTable table, TableMappings mappings) {
    List<String> nulled = names(table, column -> table.makesNulls(column, values));
    return mappings
        .definedKey(table.table())
        .filter(key -> key.columns().stream().anyMatch(nulled::contains))
        .map(
            key ->
                new Problem(
                    "table-mappings for " + table.table(),
                    "rule %s makes %s the primary key, and source.%s: to-null may put NULL into it"
                        .formatted(key.rule(), key.columns(), ValuePolicy.ZERO_DATES),
                    "a key without dates, or source.%s: refuse".formatted(ValuePolicy.ZERO_DATES),
                    "Remove the rule, or let it name other columns"));
  }

  /** Notes on possible values, from the definitions alone. */
  List<String> notes(MariadbTable table) {
    List<String> notes = new ArrayList<>();
    List<String> likely =
        names(table, column -> isRefused(table, column) && hasZeroDefault(column));
    if (!likely.isEmpty()) {
      notes.add(
          "table %s: the default of %s is a date that PostgreSQL does not have: the first such value stops the task, unless the task file has source.%s: to-null"
              .formatted(table.table(), likely, ValuePolicy.ZERO_DATES));
    }
    List<String> accepting =
        names(table, column -> !column.nullable() && table.makesNulls(column, values));
    if (!accepting.isEmpty()) {
      notes.add(
          "table %s: the columns %s are NOT NULL on the source, and accept NULL on the target, which source.%s: to-null puts in place of dates such as 0000-00-00"
              .formatted(table.table(), accepting, ValuePolicy.ZERO_DATES));
    }
    return notes;
  }

  private interface Condition {
    boolean of(MariadbColumn column);
  }

  private static List<String> names(MariadbTable table, Condition condition) {
    return table.columns().stream().filter(condition::of).map(MariadbColumn::name).toList();
  }

  private boolean isRefused(MariadbTable table, MariadbColumn column) {
    return switch (column.dataType()) {
      case "date", "datetime", "timestamp" -> !table.makesNulls(column, values);
      default -> false;
    };
  }

  private static boolean hasZeroDefault(MariadbColumn column) {
    return column.fixedDefault().filter(value -> value.startsWith("'0000-00-00")).isPresent();
  }

  private static boolean isFirstOfAnIndex(MariadbTable table, MariadbColumn column) {
    return table.indexes().stream()
        .filter(index -> index.kind().equals("BTREE"))
        .map(MariadbIndex::parts)
        .anyMatch(
            parts -> !parts.get(0).expression() && parts.get(0).column().equals(column.name()));
  }

  private static Optional<String> first(
      MariadbQuery query, MariadbTable table, MariadbColumn column) throws SQLException {
    String name = TableId.quote(column.name());
    return query
        .row(
            "SELECT CAST(%1$s AS CHAR) FROM %2$s WHERE %1$s < '%3$s' LIMIT 1"
                .formatted(
                    name,
                    table.table().quoted(),
                    column.dataType().equals("timestamp") ? FIRST_SECOND : FIRST_YEAR))
        .map(row -> row[0]);
  }
}
