package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.mariadb.server.SqlText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Computes the definition of a table after the clauses of ALTER TABLE. Columns have numbers, which
 * they keep when they are renamed. Used once, by one thread.
 */
public final class AlteredTable {
  private final CatalogTable before;
  private final LoggedStatement.Run run;
  private final Set<String> doubtful;
  private final boolean mayCompute;
  private final List<Altered> columns = new ArrayList<>();

  /** A column while the clauses are applied. */
  private static final class Altered {
    private final int number;
    private CatalogColumn column;
    private String older;
    private String byDefault;
    private boolean touched;
    private boolean dropped;

    Altered(int number, CatalogColumn column) {
      this.number = number;
      this.column = column;
    }

    ColumnDefinition definition() {
      return new ColumnDefinition(
          number,
          column.name(),
          column.type(),
          column.type(),
          null,
          !column.nullable(),
          Filling.DEFAULT,
          byDefault,
          older,
          null);
    }
  }

  /**
   * @param before its certain definition
   * @param doubtful the columns whose types may come from a later statement
   * @param mayCompute whether a column of it may be computed from others
   * @throws NotFollowed if a clause cannot be followed
   */
  public AlteredTable(
      CatalogTable before,
      List<AlterClause> clauses,
      LoggedStatement.Run run,
      Set<String> doubtful,
      boolean mayCompute)
      throws NotFollowed {
    this.before = before;
    this.run = run;
    this.doubtful = doubtful;
    this.mayCompute = mayCompute;
    int number = 1;
    for (CatalogColumn column : before.columns()) {
      columns.add(new Altered(number++, column));
    }
    for (AlterClause clause : clauses) {
      apply(clause);
    }
    Set<String> names = new HashSet<>();
    for (Altered each : columns) {
      if (!each.dropped && !names.add(each.column.name().toLowerCase(Locale.ROOT))) {
        throw new NotFollowed("two columns would be named " + each.column.name());
      }
    }
  }

  /** The change of its columns; empty if they stay as they are. */
  public Optional<DefinitionChange> change() {
    List<ColumnDefinition> then = new ArrayList<>();
    List<ColumnDefinition> now = new ArrayList<>();
    for (Altered each : columns) {
      if (each.number <= before.columns().size()) {
        then.add(new Altered(each.number, before.columns().get(each.number - 1)).definition());
      }
      if (!each.dropped) {
        now.add(each.definition());
      }
    }
    if (then.equals(now)) {
      return Optional.empty();
    }
    return Optional.of(new DefinitionChange(definition(then), definition(now), false, false, null));
  }

  /** The table after the statement. */
  public CatalogTable after() {
    return new CatalogTable(
        before.table(),
        before.root(),
        before.kind(),
        before.persistence(),
        before.oldRow(),
        columns.stream().filter(each -> !each.dropped).map(each -> each.column).toList(),
        null,
        before.pages(),
        true,
        true,
        false);
  }

  /** The definition of a table before a statement. */
  public static TableDefinition definition(CatalogTable table) {
    List<ColumnDefinition> columns = new ArrayList<>();
    for (CatalogColumn column : table.columns()) {
      columns.add(new Altered(columns.size() + 1, column).definition());
    }
    return new TableDefinition(table.table(), null, null, keyOf(table), columns);
  }

  private TableDefinition definition(List<ColumnDefinition> definitions) {
    return new TableDefinition(before.table(), null, null, keyOf(before), definitions);
  }

  private static List<Integer> keyOf(CatalogTable table) {
    List<Integer> key = new ArrayList<>();
    for (int i = 0; i < table.columns().size(); i++) {
      if (table.columns().get(i).key()) {
        key.add(i + 1);
      }
    }
    return key;
  }

  private void apply(AlterClause clause) throws NotFollowed {
    if (clause instanceof AlterClause.Add add) {
      add(add);
    } else if (clause instanceof AlterClause.Drop drop) {
      Optional<Altered> found = find(drop.column());
      if (found.isEmpty() && drop.ifThere()) {
        return;
      }
      Altered gone = touch(drop.column());
      if (gone.column.key()) {
        throw new NotFollowed("column " + gone.column.name() + " belongs to the key");
      }
      gone.dropped = true;
    } else if (clause instanceof AlterClause.Rename rename) {
      rename(touch(rename.column()), rename.name());
    } else if (clause instanceof AlterClause.Redefine redefine) {
      redefine(touch(redefine.column()), redefine.now());
    } else if (clause instanceof AlterClause.DropIndex && before.oldRow() == OldRow.OTHER_KEY) {
      throw new NotFollowed("the index may be the key by which its rows are found");
    }
  }

  private void add(AlterClause.Add add) throws NotFollowed {
    ColumnText added = add.added();
    if (add.unlessThere() && find(added.name()).isPresent()) {
      return;
    }
    run.mode().requireOrdinary();
    Altered column =
        new Altered(
            columns.size() + 1,
            new CatalogColumn(
                added.name(), added.mappedType(), !added.notNull(), false, false, false));
    column.older = OlderRows.valueOf(added, run.seconds());
    column.byDefault = defaultOf(added, column.older);
    column.touched = true;
    columns.add(column);
  }

  private static String defaultOf(ColumnText column, String older) {
    if (column.byDefault() instanceof ColumnText.Default.Now) {
      return "CURRENT_TIMESTAMP(0)";
    }
    return column.byDefault() instanceof ColumnText.Default.None || older == null
        ? null
        : SqlText.of(older);
  }

  private void rename(Altered column, String name) {
    CatalogColumn old = column.column;
    column.column =
        new CatalogColumn(
            name, old.type(), old.nullable(), old.key(), old.generated(), old.identity());
  }

  private void redefine(Altered column, ColumnText now) throws NotFollowed {
    CatalogColumn old = column.column;
    run.mode().requireOrdinary();
    if (!run.mode().strict()) {
      throw new NotFollowed(
          "the session's sql_mode is not strict, so values that do not fit were changed");
    }
    if (mayCompute) {
      throw new NotFollowed(
          "the table may have a generated column, whose values change with column %s but are not"
                  .formatted(old.name())
              + " in the log");
    }
    if (!Widening.keepsValues(old.type(), now)) {
      throw new NotFollowed(
          "the values of column %s may be others in the type %s"
              .formatted(old.name(), now.dataType()));
    }
    boolean primary = old.key() && before.oldRow() == OldRow.PRIMARY_KEY;
    boolean nullable = !now.notNull() && !primary;
    if (old.key() && nullable) {
      throw new NotFollowed("column " + old.name() + " of the key may become NULL");
    }
    if (now.dataType().equals("timestamp") && (!now.isNull() && !now.notNull() || !nullable)) {
      throw new NotFollowed("a TIMESTAMP that is not NULL may get the current time");
    }
    column.column =
        new CatalogColumn(
            now.name(), now.mappedType(), nullable, old.key(), old.generated(), old.identity());
  }

  private Optional<Altered> find(String name) {
    return columns.stream()
        .filter(each -> each.number <= before.columns().size())
        .filter(each -> before.columns().get(each.number - 1).name().equalsIgnoreCase(name))
        .findFirst();
  }

  /** An existing column that no other clause has changed. */
  private Altered touch(String name) throws NotFollowed {
    Altered found =
        find(name).orElseThrow(() -> new NotFollowed("no column %s is known".formatted(name)));
    if (found.touched) {
      throw new NotFollowed("two clauses are about column " + found.column.name());
    }
    if (doubtful.contains(found.column.name())) {
      throw new NotFollowed(
          "the log does not show which type column %s had before".formatted(found.column.name()));
    }
    found.touched = true;
    return found;
  }
}
