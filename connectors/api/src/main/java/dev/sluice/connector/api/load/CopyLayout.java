package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which columns of a table are copied, in which order, and in which format, for both sides of a
 * copy. Immutable.
 *
 * @param columns names on the source, never those of generated columns; may be empty
 * @param targetColumns the same columns' names on the target, in the same order
 * @param condition which rows are copied, as the source's SQL; empty: all
 * @param cut which values are cut on the source
 * @param view whether the source has a view, which COPY reads by a query only
 */
public record CopyLayout(
    List<String> columns,
    List<String> targetColumns,
    CopyFormat format,
    Optional<String> condition,
    LobCut cut,
    boolean view) {

  /*
   * Types whose binary form means the same on every server. Not here on purpose: reg* types (their
   * binary form is an oid of one server), money (its scale hangs on lc_monetary), interval (what is
   * infinite since PostgreSQL 17 is some long span before), and everything that is not built in.
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
   * NaN has many binary forms and one text. Rows without a key are found by their binary form, and
   * the values to find come as text: so their NaNs must have been read from text as well.
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

  /** Of whole values. */
  public CopyLayout(
      List<String> columns,
      List<String> targetColumns,
      CopyFormat format,
      Optional<String> condition) {
    this(columns, targetColumns, format, condition, LobCut.NONE, false);
  }

  /** The same with values cut. */
  public CopyLayout cutting(LobCut values) {
    return new CopyLayout(columns, targetColumns, format, condition, values, view);
  }

  /** The same, read from a view. */
  public CopyLayout ofView() {
    return new CopyLayout(columns, targetColumns, format, condition, cut, true);
  }

  /**
   * The layout of a copy between two tables: every column of the source that is not generated and
   * that the target is to have, binary where each has exactly the same portable type there.
   *
   * @param target the target table's columns; those that the source lacks are left to their
   *     defaults
   * @param nameOf the target's name of a column of the source; empty where it is left out
   * @param condition which rows are copied, as the source's SQL; empty: all
   * @param keyed whether changes find the table's rows by a key, and not by all that is in them
   */
  public static CopyLayout between(
      List<TableColumn> source,
      List<TableColumn> target,
      Function<String, Optional<String>> nameOf,
      Optional<String> condition,
      boolean keyed) {
    Map<String, TableColumn> byName =
        target.stream().collect(Collectors.toMap(TableColumn::name, Function.identity()));
    Map<TableColumn, String> copied = new LinkedHashMap<>();
    for (TableColumn column : source) {
      if (!column.generated()) {
        nameOf.apply(column.name()).ifPresent(name -> copied.put(column, name));
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
        condition);
  }

  /**
   * What COPY reads of a table of the source: the table with its column list, or a query.
   *
   * @param part which of the rows, as the source's SQL; empty: all that the layout has
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

  /** A query for how many values of the same rows are cut; empty where none can be. */
  public Optional<String> countOfCut(TableId table, Optional<String> part) {
    return cut.count(columns)
        .map(count -> "SELECT %s FROM ONLY %s%s".formatted(count, table.quoted(), rows(part)));
  }

  private String rows(Optional<String> part) {
    String conditions =
        Stream.concat(condition.stream(), part.stream())
            .map(each -> "(" + each + ")")
            .collect(Collectors.joining(" AND "));
    return conditions.isEmpty() ? "" : " WHERE " + conditions;
  }

  /** The table of the target with its column list, as COPY names it. */
  public String target(TableId table) {
    return named(table, targetColumns);
  }

  private static String named(TableId table, List<String> columns) {
    // A table without columns has rows all the same, and an empty column list is no SQL.
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
