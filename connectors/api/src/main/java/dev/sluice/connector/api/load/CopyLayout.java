package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Which columns of a table are copied, in which order, and in which format; both sides of a copy
 * use the same. Immutable.
 *
 * @param columns names, never those of generated columns; may be empty
 */
public record CopyLayout(List<String> columns, CopyFormat format) {

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
  }

  /**
   * The layout of a copy between two tables: every column of the source that is not generated,
   * binary where each has exactly the same portable type on the target.
   *
   * @param target the target table's columns; those that the source lacks are left to their
   *     defaults
   * @param keyed whether changes find the table's rows by a key, and not by all that is in them
   */
  public static CopyLayout between(
      List<TableColumn> source, List<TableColumn> target, boolean keyed) {
    Map<String, TableColumn> byName =
        target.stream().collect(Collectors.toMap(TableColumn::name, Function.identity()));
    List<TableColumn> copied = source.stream().filter(column -> !column.generated()).toList();
    boolean binary =
        !copied.isEmpty()
            && copied.stream()
                .allMatch(
                    column ->
                        byName.containsKey(column.name())
                            && byName.get(column.name()).type().equals(column.type())
                            && isPortable(column.type(), keyed));
    return new CopyLayout(
        copied.stream().map(TableColumn::name).toList(),
        binary ? CopyFormat.BINARY : CopyFormat.TEXT);
  }

  /** The table with its column list, as a COPY statement names it. */
  public String of(TableId table) {
    // A table without columns has rows all the same, and an empty column list is no SQL.
    return columns.isEmpty() ? table.quoted() : table.quoted() + " (" + names() + ")";
  }

  /**
   * A query for some of the table's rows, as a COPY statement takes it in the place of a table.
   *
   * @param condition which rows
   */
  public String queryOf(TableId table, String condition) {
    return "(SELECT " + names() + " FROM ONLY " + table.quoted() + " WHERE " + condition + ")";
  }

  private String names() {
    return columns.stream().map(TableId::quote).collect(Collectors.joining(", "));
  }

  private static boolean isPortable(String type, boolean keyed) {
    String element = type.replaceFirst("(\\[\\])+$", "").replaceFirst("\\([0-9, -]*\\)", "");
    return PORTABLE.contains(element) && (keyed || !OF_SEVERAL_FORMS.contains(element));
  }
}
