package dev.sluice.engine.validate.repair;

import dev.sluice.config.TableId;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.RowDifference.Image;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.TableChanges;
import dev.sluice.sink.window.compaction.TableChanges.Copies;
import java.util.ArrayList;
import java.util.List;

/**
 * The changes that make differing rows of a table equal to the source's. Pure.
 *
 * @param table its name on the source
 * @param key columns of its key on the source; empty if it has none
 * @param columns the compared columns by their names on the source, in the order of the values
 */
record RepairChanges(TableId table, List<String> key, List<String> columns) {

  /** The changes of these differences, one for each. */
  TableChanges of(List<RowDifference> differences, ColumnNames names) {
    RowSchema schema =
        new RowSchema(
            table,
            columns.stream()
                // The statements cast to the types of the target's columns.
                .map(
                    name -> new Column(names.orSame(table, name), "text", true, key.contains(name)))
                .toList());
    return key.isEmpty() ? multiset(schema, differences) : keyed(schema, differences);
  }

  private static TableChanges keyed(RowSchema schema, List<RowDifference> differences) {
    return new TableChanges.Keyed(
        schema,
        differences.stream()
            .map(
                difference ->
                    new NetChange(
                        difference.target().map(image -> schema.matchOf(row(image))).orElse(null),
                        difference.source().map(RepairChanges::row).orElse(null)))
            .toList());
  }

  private static TableChanges multiset(RowSchema schema, List<RowDifference> differences) {
    List<Copies> away = new ArrayList<>();
    List<Copies> in = new ArrayList<>();
    for (RowDifference difference : differences) {
      difference.target().ifPresent(image -> away.add(new Copies(row(image), 1)));
      difference.source().ifPresent(image -> in.add(new Copies(row(image), 1)));
    }
    return new TableChanges.Multiset(schema, away, List.of(), in);
  }

  private static Row row(Image image) {
    RowBuilder row = new RowBuilder(64);
    for (String value : image.values()) {
      if (value == null) {
        row.addNull();
      } else {
        row.add(value);
      }
    }
    return row.build();
  }
}
