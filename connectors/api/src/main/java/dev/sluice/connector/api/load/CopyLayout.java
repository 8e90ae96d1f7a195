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
   * binary form is an oid of one server), money (its scale hangs on lc_monetary), and everything
   * that is not built in.
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
          "interval",
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

  public CopyLayout {
    columns = List.copyOf(columns);
  }

  /**
   * The layout of a copy between two tables: every column of the source that is not generated,
   * binary where each has exactly the same portable type on the target.
   *
   * @param target the target table's columns; those that the source lacks are left to their
   *     defaults
   */
  public static CopyLayout between(List<TableColumn> source, List<TableColumn> target) {
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
                            && isPortable(column.type()));
    return new CopyLayout(
        copied.stream().map(TableColumn::name).toList(),
        binary ? CopyFormat.BINARY : CopyFormat.TEXT);
  }

  /** The table with its column list, as a COPY statement names it. */
  public String of(TableId table) {
    // A table without columns has rows all the same, and an empty column list is no SQL.
    return columns.isEmpty()
        ? table.quoted()
        : table.quoted()
            + " ("
            + columns.stream().map(TableId::quote).collect(Collectors.joining(", "))
            + ")";
  }

  static boolean isPortable(String type) {
    String element = type.replaceFirst("(\\[\\])+$", "").replaceFirst("\\([0-9, -]*\\)", "");
    return PORTABLE.contains(element);
  }
}
