package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.comparison.printed.KeptTexts;
import dev.sluice.sink.target.ApartChange;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.TargetDefinitions.Found;
import dev.sluice.sink.target.TargetDefinitions.FoundColumn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The statements that give a target table the columns of the altered source table. Each is executed
 * by itself, and the table's columns show which were executed; what is already right is skipped.
 * Computed by the constructor.
 */
final class YugabyteAlteration {
  private final DdlStatements ddl;
  private final DefinitionChange change;
  private final boolean plainCasts;
  private final Found present;
  private final boolean filled;

  private final List<String> statements = new ArrayList<>();
  private final List<String> notReplicated = new ArrayList<>();

  /**
   * @param present the target table, under its old or its new name
   * @param filled whether it has rows
   * @throws SluiceException.Data if the table cannot be altered like this, or does not show whether
   *     it already was
   */
  YugabyteAlteration(DdlStatements ddl, ApartChange apart, Found present, boolean filled) {
    this.ddl = ddl;
    this.change = apart.change();
    this.plainCasts = apart.statement().plainCasts();
    this.present = present;
    this.filled = filled;
    TableDefinition before = change.before();
    TableDefinition after = change.after();
    requireEachNameOnce();
    requireKey(before, after);
    drop(before, after);
    for (ColumnDefinition column : after.columns()) {
      before
          .column(column.number())
          .ifPresentOrElse(earlier -> alter(earlier, column), () -> add(column));
    }
    requireSameRows();
  }

  /** In the order of execution; empty if the table already has all changes. */
  List<String> statements() {
    return statements;
  }

  /** What the source's statement also changed and these do not, for messages. */
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

  private void requireKey(TableDefinition before, TableDefinition after) {
    List<String> key = present.key() == null ? List.of() : present.key().columns();
    if (!before.key().equals(after.key()) && !key.equals(after.keyNames())) {
      throw refused(
          "its primary key is (%s), the source's became (%s)"
              .formatted(String.join(", ", key), String.join(", ", after.keyNames())));
    }
  }

  /**
   * Drops generated columns first: the target cannot drop a column that another one is computed
   * from.
   */
  private void drop(TableDefinition before, TableDefinition after) {
    before.columns().stream()
        .filter(column -> after.column(column.number()).isEmpty())
        .flatMap(column -> column(column.name()).stream())
        .sorted(Comparator.comparing(FoundColumn::generated).reversed())
        .forEach(
            column -> {
              if (present.key() != null && present.key().columns().contains(column.name())) {
                throw refused("column %s belongs to its primary key".formatted(column.name()));
              }
              statements.add(ddl.dropColumn(present.id(), column.name()));
            });
  }

  /**
   * A statement may compute new values of a column and keep its type. Only the rewrite of the rows
   * shows that.
   */
  private void requireSameRows() {
    if (change.rewritten() && !plainCasts && filled) {
      throw refused(
          "its rows were written again by a statement that may have changed values, which are not in the log");
    }
  }

  private void alter(ColumnDefinition before, ColumnDefinition after) {
    requireSameGeneration(before, after);
    note(before, after);
    if (before.isLike(after)) {
      // The target may lack such a column.
      return;
    }
    boolean isRenamed = !before.name().equals(after.name());
    Optional<FoundColumn> old = column(before.name());
    Optional<FoundColumn> renamed = column(after.name());
    if (isRenamed && old.isPresent() == renamed.isPresent()) {
      throw refused(
          "column %s was renamed to %s, and %s"
              .formatted(
                  before.name(), after.name(), old.isPresent() ? "both exist" : "neither exists"));
    }
    FoundColumn column =
        renamed.or(() -> old).orElseThrow(() -> refused("it has no column " + after.name()));
    if (isRenamed && renamed.isEmpty()) {
      statements.add(ddl.renameColumn(present.id(), before.name(), after.name()));
    }
    if (!before.hasTypeOf(after)) {
      alterType(before, after, column);
    }
    if (before.notNull() != after.notNull() && column.notNull() != after.notNull()) {
      statements.add(ddl.setNotNull(present.id(), after.name(), after.notNull()));
    }
  }

  private void note(ColumnDefinition before, ColumnDefinition after) {
    if (!Objects.equals(before.collation(), after.collation())) {
      notReplicated.add("the collation of column " + after.name());
    }
    if (!Objects.equals(before.defaultValue(), after.defaultValue())) {
      notReplicated.add("the default of column " + after.name());
    }
    if (before.filling() != after.filling()) {
      notReplicated.add("how column " + after.name() + " fills itself");
    }
  }

  /** The target would not show whether an expression is the old one or the new one. */
  private void requireSameGeneration(ColumnDefinition before, ColumnDefinition after) {
    boolean isOther =
        before.filling().generated() != after.filling().generated()
            || after.filling().generated()
                && !Objects.equals(before.defaultValue(), after.defaultValue());
    if (isOther) {
      throw refused("column %s is generated or was".formatted(after.name()));
    }
  }

  /** Existing rows must get the values that the source's statement gave them. */
  private void alterType(ColumnDefinition before, ColumnDefinition after, FoundColumn column) {
    if (column.type().equals(after.type())) {
      return;
    }
    if (!column.type().equals(before.type())) {
      if (!KeptTexts.areKept(after.type(), column.type())) {
        throw refused(
            "column %s is of type %s, the source's was %s and became %s"
                .formatted(after.name(), column.type(), before.type(), after.type()));
      }
      requireTextsAreKept(before, after);
      return;
    }
    requireMadeType(after);
    if (filled && change.rewritten() && !plainCasts) {
      throw refused(
          "the type of column %s became %s by a statement that may have changed values, which are not in the log"
              .formatted(after.name(), after.type()));
    }
    requireTextsAreKept(before, after);
    statements.add(
        "ALTER TABLE %s ALTER COLUMN %s TYPE %s"
            .formatted(present.id().quoted(), TableId.quote(after.name()), after.type()));
  }

  /** The source's cast may give older rows other texts, also where the target's column stays. */
  private void requireTextsAreKept(ColumnDefinition before, ColumnDefinition after) {
    if (filled && !KeptTexts.areKept(before.type(), after.type())) {
      throw refused(
          "its rows have values of column %s as %s, and what the source's cast to %s makes of them is not known"
              .formatted(after.name(), before.type(), after.type()));
    }
  }

  private void requireMadeType(ColumnDefinition column) {
    if (!MadeTypes.isMade(column.type())) {
      throw refused(
          "column %s is of type %s, which Sluice does not use on YugabyteDB"
              .formatted(column.name(), column.type()));
    }
  }

  private void add(ColumnDefinition after) {
    YugabyteNewColumn column =
        new YugabyteNewColumn(present.id(), after, filled, change.rewritten());
    column.leftOut().ifPresent(notReplicated::add);
    Optional<FoundColumn> found = column(after.name());
    if (found.isPresent()) {
      if (!found.get().type().equals(after.type())) {
        throw refused(
            "column %s is of type %s, the source's new column is of type %s"
                .formatted(after.name(), found.get().type(), after.type()));
      }
      return;
    }
    requireMadeType(after);
    column
        .objection()
        .ifPresent(
            why -> {
              throw refused(why);
            });
    column(column.unnamed())
        .ifPresent(left -> statements.add(ddl.dropColumn(present.id(), left.name())));
    statements.addAll(column.statements());
  }

  private Optional<FoundColumn> column(String name) {
    return present.columns().stream().filter(column -> column.name().equals(name)).findFirst();
  }

  private SluiceException refused(String why) {
    return new SluiceException.Data(
        "target table %s cannot be altered like the source table: %s; load the table again"
            .formatted(present.id(), why),
        null);
  }
}
