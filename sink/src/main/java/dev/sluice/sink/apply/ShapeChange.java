package dev.sluice.sink.apply;

import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.target.TargetTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/*
 * PostgreSQL keeps the columns of a table in the order in which they were made, and a new one comes
 * last. So where names are others at places that are not the last and all else is the same, columns
 * were renamed; at the last place one may as well have been dropped and another one added. A
 * before-image column comes right behind the one that it is for, and shares its fate.
 */
/**
 * What the target lacks for rows of a new shape where no event trigger told how it came about: the
 * statements, as far as there is one way to read it. Pure.
 */
final class ShapeChange {
  private ShapeChange() {}

  /**
   * @param last the shape of the table's rows before; empty where it is not known
   * @param now the shape of the rows to be applied
   * @return the statements that let the target take them; mostly none
   * @throws SluiceException.Table where it can be read in several ways
   */
  static List<String> statements(Optional<RowSchema> last, RowSchema now, TargetTable table) {
    List<Column> missing =
        now.columns().stream().filter(column -> table.column(column.name()).isEmpty()).toList();
    List<Column> gone =
        last.map(
                before ->
                    before.columns().stream()
                        .filter(column -> !has(now, column.name()))
                        .filter(column -> table.column(column.name()).isPresent())
                        .toList())
            .orElse(List.of());
    last.ifPresent(before -> requireSameTypes(before, now, table));
    if (missing.isEmpty()) {
      return gone.stream().map(column -> altering(table, "DROP COLUMN " + quoted(column))).toList();
    }
    if (!gone.isEmpty()) {
      return renaming(last.get(), now, table, missing, gone);
    }
    Predicate<Column> unknown = column -> last.isEmpty() && targetHasMore(now, table);
    if (missing.stream().anyMatch(unknown)) {
      throw ambiguous(
          table,
          now,
          "the rows have the columns %s, which the target lacks, and the target has others, which the rows lack"
              .formatted(names(missing)));
    }
    return missing.stream()
        .map(column -> altering(table, "ADD COLUMN " + quoted(column) + " " + column.type()))
        .toList();
  }

  private static List<String> renaming(
      RowSchema last, RowSchema now, TargetTable table, List<Column> missing, List<Column> gone) {
    List<Integer> places = new ArrayList<>();
    if (last.columns().size() == now.columns().size()) {
      for (int i = 0; i < now.columns().size(); i++) {
        if (!last.columns().get(i).name().equals(now.columns().get(i).name())) {
          places.add(i);
        }
      }
    }
    boolean renamed =
        places.size() == gone.size()
            && places.size() == missing.size()
            && places.stream()
                .allMatch(place -> isRenamed(last.columns(), now.columns(), place, gone, missing));
    if (!renamed) {
      throw ambiguous(
          table,
          now,
          "the columns %s are gone and %s are new: renamed, or dropped and added?"
              .formatted(names(gone), names(missing)));
    }
    return places.stream()
        .map(
            place ->
                altering(
                    table,
                    "RENAME COLUMN %s TO %s"
                        .formatted(
                            quoted(last.columns().get(place)), quoted(now.columns().get(place)))))
        .toList();
  }

  private static boolean isRenamed(
      List<Column> last, List<Column> now, int place, List<Column> gone, List<Column> missing) {
    return place < now.size() - 1
        && gone.contains(last.get(place))
        && missing.contains(now.get(place))
        && last.get(place).type().equals(now.get(place).type());
  }

  private static void requireSameTypes(RowSchema last, RowSchema now, TargetTable table) {
    for (Column column : now.columns()) {
      Optional<Column> before =
          last.columns().stream().filter(other -> other.name().equals(column.name())).findFirst();
      String target = table.column(column.name()).map(found -> found.type()).orElse(column.type());
      if (before.isPresent()
          && !before.get().type().equals(column.type())
          && !target.equals(column.type())) {
        throw ambiguous(
            table,
            now,
            "the type of column %s became %s, and how the rows were changed is not known"
                .formatted(column.name(), column.type()));
      }
    }
  }

  private static boolean targetHasMore(RowSchema now, TargetTable table) {
    return table.columns().stream()
        .anyMatch(column -> !column.generated() && !has(now, column.name()));
  }

  private static boolean has(RowSchema schema, String name) {
    return schema.columns().stream().anyMatch(column -> column.name().equals(name));
  }

  private static SluiceException ambiguous(TargetTable table, RowSchema now, String why) {
    return new SluiceException.Table(
        now.table(),
        List.of(
            new Problem(
                "source table " + now.table(),
                "was altered, and no event trigger tells how: " + why,
                "an alteration that can be read in one way",
                "Alter target table %s to the shape of the source, or load the table again"
                    .formatted(table.id()))));
  }

  private static List<String> names(List<Column> columns) {
    return columns.stream().map(Column::name).toList();
  }

  private static String quoted(Column column) {
    return TableId.quote(column.name());
  }

  private static String altering(TargetTable table, String action) {
    return "ALTER TABLE " + table.id().quoted() + " " + action;
  }
}
