package dev.sluice.sink.apply.plan;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetColumnChecks;
import dev.sluice.sink.target.TargetTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Maps the columns of a source table to those of its target table, by name. A source column is
 * identified by its index in the row. Immutable.
 */
public final class TablePlan implements MappedTable {
  private final RowSchema schema;
  private final TargetTable table;
  private final List<TargetColumn> columns;
  private final int[] match;
  private final int[] written;
  private final int[] settable;
  private final int[] sensitive;
  private final List<TargetColumn> targetOnly;

  /**
   * @param lenient true: columns that the target lacks are skipped, except those that match a row
   * @param checks names the columns that the target lacks
   * @throws SluiceException.Table if the target lacks columns; it lists all
   */
  TablePlan(RowSchema schema, TargetTable table, boolean lenient, TargetColumnChecks checks) {
    this.schema = schema;
    this.table = table;
    this.columns = columnsOf(schema, table, lenient, checks);
    this.match = schema.hasKey() ? schema.key() : IntStream.range(0, columns.size()).toArray();
    this.written = all().filter(i -> !columns.get(i).generated()).toArray();
    this.settable =
        Arrays.stream(written)
            .filter(i -> !schema.columns().get(i).key() && !columns.get(i).alwaysIdentity())
            .toArray();
    Set<String> looked = table.sensitiveColumns(names(match));
    this.sensitive =
        Arrays.stream(written)
            .filter(i -> !schema.columns().get(i).key())
            .filter(i -> looked.contains(columns.get(i).name()) || columns.get(i).alwaysIdentity())
            .toArray();
    Set<String> known = new HashSet<>(columns.stream().map(TargetColumn::name).toList());
    this.targetOnly =
        table.columns().stream()
            .filter(column -> !column.generated() && !known.contains(column.name()))
            .toList();
  }

  private static List<TargetColumn> columnsOf(
      RowSchema schema, TargetTable table, boolean lenient, TargetColumnChecks checks) {
    List<TargetColumn> columns = new ArrayList<>();
    List<Problem> problems = new ArrayList<>();
    for (Column source : schema.columns()) {
      table
          .column(source.name())
          .ifPresentOrElse(
              columns::add,
              () -> {
                if (lenient && schema.hasKey() && !source.key()) {
                  columns.add(TargetColumn.absent(source.name()));
                } else {
                  problems.add(checks.lacks(table, source, schema.table()));
                }
              });
    }
    if (!problems.isEmpty()) {
      throw new SluiceException.Table(schema.table(), problems);
    }
    return List.copyOf(columns);
  }

  public RowSchema schema() {
    return schema;
  }

  @Override
  public TargetTable table() {
    return table;
  }

  @Override
  public TargetColumn column(int source) {
    return columns.get(source);
  }

  @Override
  public boolean hasKey() {
    return schema.hasKey();
  }

  @Override
  public int columnCount() {
    return columns.size();
  }

  @Override
  public int[] match() {
    return match;
  }

  @Override
  public int[] written() {
    return written;
  }

  @Override
  public int[] settable() {
    return settable;
  }

  @Override
  public int[] sensitive() {
    return sensitive;
  }

  /** Whether some written column can only be changed by deleting and inserting the row. */
  public boolean hasColumnsBeyondUpdate() {
    return Arrays.stream(written).anyMatch(i -> columns.get(i).alwaysIdentity());
  }

  @Override
  public List<TargetColumn> targetOnly() {
    return targetOnly;
  }

  /** Whether a unique index of the target guarantees that a key matches at most one row. */
  public boolean matchesOneAtMost() {
    return table.isUniqueOn(names(match));
  }

  public boolean keepsItsKey(Row match, Row row) {
    return schema.isMatchOf(match, row);
  }

  private List<String> names(int[] sources) {
    return Arrays.stream(sources).mapToObj(i -> columns.get(i).name()).toList();
  }

  private IntStream all() {
    return IntStream.range(0, columns.size());
  }
}
