package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The columns of a table's copy, their order and format, for source and target. Immutable.
 *
 * @param columns names on the source, without generated columns; may be empty
 * @param targetColumns names of the same columns on the target, in the same order
 * @param filter of the rows to copy, in the query that reads them on the source; empty: all
 * @param cut the values that the source cuts
 * @param view whether the source is a view, which COPY can read only by a query
 */
public record CopyLayout(
    List<String> columns,
    List<String> targetColumns,
    CopyFormat format,
    Optional<RowFilter> filter,
    LobCut cut,
    boolean view) {

  /*
   * Types whose binary form has the same meaning on every server. Excluded on purpose: reg* types (an oid of one server), money (its scale depends on lc_monetary), interval (infinity since PostgreSQL 17 is a long interval in older versions), and types that are not built in.
   */
  private static final Set<String> PORTABLE =
      Set.of(
          "bigint",
          "bit",
          "bit varying",
          "boolean",
          "bytea",
          "character",
          "character varying",
          "cidr",
          "date",
          "double precision",
          "inet",
          "integer",
          "json",
          "jsonb",
          "macaddr",
          "numeric",
          "real",
          "smallint",
          "text",
          "time with time zone",
          "time without time zone",
          "timestamp with time zone",
          "timestamp without time zone",
          "uuid");

  /*
   * NaN has many binary forms and one text form. Rows without a key are found by their binary form, and changes have text values. So the load of such a table must read its NaNs from text too.
   */
  private static final Set<String> OF_SEVERAL_FORMS = Set.of("double precision", "real");

  public CopyLayout {
    columns = List.copyOf(columns);
    targetColumns = List.copyOf(targetColumns);
    if (columns.size() != targetColumns.size()) {
      throw new IllegalArgumentException(
          "BUG: columns %s into columns %s".formatted(columns, targetColumns));
    }
  }

  /** A layout without cut values. */
  public CopyLayout(
      List<String> columns,
      List<String> targetColumns,
      CopyFormat format,
      Optional<RowFilter> filter) {
    this(columns, targetColumns, format, filter, LobCut.NONE, false);
  }

  /** The same with values cut. */
  public CopyLayout cutting(LobCut values) {
    return new CopyLayout(columns, targetColumns, format, filter, values, view);
  }

  /** The same in the text format. */
  public CopyLayout asText() {
    return new CopyLayout(columns, targetColumns, CopyFormat.TEXT, filter, cut, view);
  }

  /** The same, read from a view. */
  public CopyLayout ofView() {
    return new CopyLayout(columns, targetColumns, format, filter, cut, true);
  }

  /**
   * The layout of a copy between two tables: all replicated columns that neither side generates. It
   * is binary if each has the same portable type on the target.
   *
   * @param target the target table's columns; those that the source lacks get their defaults
   * @param nameOf gives the target's name of a source column; empty if it is not replicated
   * @param filter of the rows to copy; empty: all
   * @param keyed whether changes find rows by a key, not by all columns
   */
  public static CopyLayout between(
      List<TableColumn> source,
      List<TableColumn> target,
      Function<String, Optional<String>> nameOf,
      Optional<RowFilter> filter,
      boolean keyed) {
    Map<String, TableColumn> byName =
        target.stream().collect(Collectors.toMap(TableColumn::name, Function.identity()));
    Map<TableColumn, String> copied = new LinkedHashMap<>();
    for (TableColumn column : source) {
      if (!column.generated()) {
        nameOf
            .apply(column.name())
            .filter(name -> !byName.containsKey(name) || !byName.get(name).generated())
            .ifPresent(name -> copied.put(column, name));
      }
    }
    boolean binary =
        !copied.isEmpty()
            && copied.entrySet().stream()
                .allMatch(
                    column ->
                        byName.containsKey(column.getValue())
                            && byName.get(column.getValue()).type().equals(column.getKey().type())
                            && isPortable(column.getKey().type(), keyed));
    return new CopyLayout(
        copied.keySet().stream().map(TableColumn::name).toList(),
        List.copyOf(copied.values()),
        binary ? CopyFormat.BINARY : CopyFormat.TEXT,
        filter);
  }

  /**
   * The source of a COPY: a table with its column list, or a query.
   *
   * @param part a segment of the rows, as SQL for the source; empty: all rows of the layout
   */
  public String source(TableId table, Optional<String> part) {
    String rows = rows(part);
    return rows.isEmpty() && cut.isNone() && !view
        ? named(table, columns)
        : "(SELECT %s FROM ONLY %s%s)"
            .formatted(
                columns.stream()
                    .map(column -> cut.selected(column, TableId.quote(column)))
                    .collect(Collectors.joining(", ")),
                table.quoted(),
                rows);
  }

  /** A query for the number of cut values in the same rows; empty if no value can be cut. */
  public Optional<String> countOfCut(TableId table, Optional<String> part) {
    return cut.count(columns)
        .map(count -> "SELECT %s FROM ONLY %s%s".formatted(count, table.quoted(), rows(part)));
  }

  private String rows(Optional<String> part) {
    String conditions =
        Stream.concat(filter.map(RowFilter::condition).stream(), part.stream())
            .map(each -> "(" + each + ")")
            .collect(Collectors.joining(" AND "));
    return conditions.isEmpty() ? "" : " WHERE " + conditions;
  }

  /** The target table with its column list, for COPY. */
  public String target(TableId table) {
    return named(table, targetColumns);
  }

  private static String named(TableId table, List<String> columns) {
    // A table without columns can have rows, and an empty column list is not valid SQL.
    return columns.isEmpty() ? table.quoted() : table.quoted() + " (" + list(columns) + ")";
  }

  private static String list(List<String> columns) {
    return columns.stream().map(TableId::quote).collect(Collectors.joining(", "));
  }

  private static boolean isPortable(String type, boolean keyed) {
    String element = type.replaceFirst("(\\[\\])+$", "").replaceFirst("\\([0-9, -]*\\)", "");
    return PORTABLE.contains(element) && (keyed || !OF_SEVERAL_FORMS.contains(element));
  }
}
