package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.connector.comparison.printed.KeptTexts;
import dev.sluice.sink.target.ApartChange;
import dev.sluice.sink.target.ColumnFit;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.mariadb.catalog.MariadbColumnFit;
import dev.sluice.target.mariadb.catalog.MariadbTypes;
import dev.sluice.target.mariadb.server.ServerKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Gives a target table the columns of the altered source table. All changes are one statement,
 * which the server executes completely or not at all, so the table's columns show whether it was
 * executed; what is already right is skipped. Only the default of a new column may need a second
 * statement. Computed by the constructor.
 */
final class Alteration {
  private static final Pattern WIDTH =
      Pattern.compile("^(tinyint|smallint|mediumint|int|bigint)\\(\\d+\\)");

  private final ServerKind server;
  private final DefinitionChange change;
  private final boolean plainCasts;
  private final AlterableTable present;
  private final MadeColumns made;
  private final ColumnFit fit;

  private final Set<String> indexes = new LinkedHashSet<>();
  private final List<String> clauses = new ArrayList<>();
  private final List<String> defaults = new ArrayList<>();
  private final List<String> notReplicated = new ArrayList<>();

  /**
   * @param present the target table, under its old or its new name
   * @throws SluiceException.Data if the table cannot be altered like this, or does not show whether
   *     it already was
   */
  Alteration(ServerKind server, ApartChange apart, AlterableTable present) {
    this.server = server;
    this.change = apart.change();
    this.plainCasts = apart.statement().plainCasts();
    this.present = present;
    this.made = new MadeColumns(server, Outlines.of(change.after(), present.table().id()));
    this.fit = new MariadbColumnFit(server);
    TableDefinition before = change.before();
    TableDefinition after = change.after();
    requireEachNameOnce();
    before.columns().stream()
        .filter(column -> after.column(column.number()).isEmpty())
        .forEach(this::drop);
    for (ColumnDefinition column : after.columns()) {
      before
          .column(column.number())
          .ifPresentOrElse(earlier -> alter(earlier, column), () -> add(column));
    }
    requireKey(before, after);
    requireSameRows();
  }

  /** The clauses of the statement. It also drops the indexes of dropped columns. */
  List<String> clauses() {
    List<String> all = new ArrayList<>();
    indexes.forEach(index -> all.add("DROP INDEX " + TableId.quote(index)));
    all.addAll(clauses);
    return all;
  }

  /** The clauses of the second statement. */
  List<String> defaults() {
    return defaults;
  }

  /** What the source's statement also changed and this one does not, for messages. */
  List<String> notReplicated() {
    return notReplicated;
  }

  /** Otherwise a column of that name may be the old one or the new one. */
  private void requireEachNameOnce() {
    change
        .nameGivenAgain()
        .ifPresent(
            name -> {
              throw refused(
                  "one statement moved the column name %s from one column to another"
                      .formatted(name));
            });
  }

  private void drop(ColumnDefinition column) {
    if (present.column(column.name()).isEmpty()) {
      return;
    }
    if (present.key().contains(column.name())) {
      throw refused("column %s belongs to its primary key".formatted(column.name()));
    }
    indexes.addAll(present.indexesWith(column.name()));
    clauses.add("DROP COLUMN " + TableId.quote(column.name()));
  }

  private void alter(ColumnDefinition before, ColumnDefinition after) {
    note(before, after);
    requireGeneration(before, after);
    if (before.isLike(after)) {
      // The target may lack such a column.
      return;
    }
    boolean isRenamed = !before.name().equals(after.name());
    boolean hasOld = present.column(before.name()).isPresent();
    boolean hasNew = present.column(after.name()).isPresent();
    if (isRenamed && hasOld == hasNew) {
      throw refused(
          "column %s was renamed to %s, and %s"
              .formatted(before.name(), after.name(), hasOld ? "both exist" : "neither exists"));
    }
    TargetColumn column =
        present
            .column(hasNew ? after.name() : before.name())
            .orElseThrow(() -> refused("it has no column " + after.name()));
    boolean otherType = !before.hasTypeOf(after) && !isFit(after, column);
    boolean otherNull = before.notNull() != after.notNull() && column.notNull() != after.notNull();
    requireTextsAreKept(before, after, column);
    if (otherType || otherNull) {
      clauses.add(
          "CHANGE COLUMN %s %s"
              .formatted(
                  TableId.quote(column.name()),
                  written(column)
                      .altered(
                          after.name(),
                          otherType ? typeOf(after) : written(column).type(),
                          before.notNull() == after.notNull()
                              ? column.notNull()
                              : after.notNull())));
    } else if (isRenamed && hasOld) {
      clauses.add(
          "RENAME COLUMN %s TO %s"
              .formatted(TableId.quote(before.name()), TableId.quote(after.name())));
    }
  }

  private void note(ColumnDefinition before, ColumnDefinition after) {
    if (!Objects.equals(before.defaultValue(), after.defaultValue())) {
      notReplicated.add("the default of column " + after.name());
    }
    if (before.filling() != after.filling()) {
      notReplicated.add("how column " + after.name() + " fills itself");
    }
  }

  /** A generated column has its values from the target's expression, or they are not in the log. */
  private void requireGeneration(ColumnDefinition before, ColumnDefinition after) {
    if (before.filling().generated() != after.filling().generated()) {
      throw refused("column %s is generated or was".formatted(after.name()));
    }
    boolean isOther =
        after.filling().generated()
            && !Objects.equals(before.defaultValue(), after.defaultValue())
            && (change.rewritten() || !change.renamesColumns());
    if (isOther && present.column(before.name()).isPresent()) {
      throw refused("column %s is computed in another way".formatted(after.name()));
    }
  }

  /** Existing rows must keep the text that the source's new type has for their values. */
  private void requireTextsAreKept(
      ColumnDefinition before, ColumnDefinition after, TargetColumn column) {
    if (before.hasTypeOf(after) || !present.filled()) {
      return;
    }
    if (change.rewritten() && !plainCasts) {
      throw refused(
          "the type of column %s became %s by a statement that may have changed values, which are not in the log"
              .formatted(after.name(), after.type()));
    }
    boolean isAsMade = isOf(typeOf(before), column) || isOf(typeOf(after), column);
    if (!KeptTexts.areKept(before.type(), after.type()) || !isAsMade && !isFit(after, column)) {
      throw refused(
          "its rows have values of column %s as %s, and what the source's cast to %s makes of them is not known"
              .formatted(after.name(), before.type(), after.type()));
    }
  }

  /** Whether a column has a type, whatever its collation. */
  private static boolean isOf(String type, TargetColumn column) {
    return bare(type).equals(bare(column.storedType()));
  }

  /** MariaDB shows a display width with whole numbers, which limits nothing. */
  private static String bare(String type) {
    return WIDTH.matcher(type.replaceFirst(" CHARACTER SET .*", "")).replaceFirst("$1");
  }

  private String typeOf(ColumnDefinition column) {
    return MariadbTypes.of(server, Outlines.of(column).type());
  }

  private PresentColumn written(TargetColumn column) {
    return present
        .written(column)
        .orElseThrow(
            () ->
                refused(
                    "the definition of its column %s has a form that Sluice cannot alter"
                        .formatted(column.name())));
  }

  private void add(ColumnDefinition after) {
    OutlinedColumn outline = Outlines.of(after);
    if (outline.generated()) {
      throw refused("column %s is generated".formatted(after.name()));
    }
    NewColumn column = new NewColumn(after, made, present.filled(), change.rewritten());
    if (present.column(after.name()).isPresent()) {
      TargetColumn there = present.column(after.name()).get();
      if (!isFit(after, there)) {
        throw refused(
            "column %s is of type %s, the source's new column is of type %s"
                .formatted(after.name(), there.storedType(), after.type()));
      }
      present.written(there).flatMap(column::defaultBehind).ifPresent(defaults::add);
      return;
    }
    column
        .objection()
        .ifPresent(
            why -> {
              throw refused(why);
            });
    clauses.add("ADD COLUMN " + column.definition());
  }

  private boolean isFit(ColumnDefinition source, TargetColumn column) {
    Column typed =
        new Column(
            source.name(),
            Outlines.of(source).type(),
            !source.notNull(),
            change.after().keyNames().contains(source.name()));
    return !(fit.of(typed, present.table(), column) instanceof ColumnFit.Verdict.Unfit);
  }

  private void requireKey(TableDefinition before, TableDefinition after) {
    if (!before.key().equals(after.key()) && !present.key().equals(after.keyNames())) {
      throw refused(
          "its primary key is (%s), the source's became (%s)"
              .formatted(String.join(", ", present.key()), String.join(", ", after.keyNames())));
    }
  }

  /**
   * A statement may compute new values of a column and keep its type. Only the rewrite of the rows
   * shows that.
   */
  private void requireSameRows() {
    if (change.rewritten() && !plainCasts && present.filled()) {
      throw refused(
          "its rows were written again by a statement that may have changed values, which are not in the log");
    }
  }

  private SluiceException refused(String why) {
    return new SluiceException.Data(
        "target table %s cannot be altered like the source table: %s; load the table again"
            .formatted(present.table().id(), why),
        null);
  }
}
