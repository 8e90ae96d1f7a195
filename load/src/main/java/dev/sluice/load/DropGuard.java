package dev.sluice.load;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.load.target.FoundTable;
import dev.sluice.load.target.TableMaking;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/*
 * A rollback does not restore a dropped table. So a table without the task's mark is dropped only
 * with consent, even if it is empty: it has a definition, triggers and rights. A table with the
 * mark may have rows of applications since the load was done. To drop only tables that the task
 * created needs no consent, so a consent that was given for a load does not cover a table that
 * replaced one of these.
 */
/**
 * Decides which tables a task may drop if a drop cannot be rolled back. Immutable, threadsafe.
 *
 * @param making reads the existing tables
 * @param rows knows whose rows are the task's own, the user's consent, and the task's mark
 * @param onlyMade whether only tables that the task created may be dropped, with or without consent
 */
record DropGuard(TableMaking making, RowGuard rows, boolean onlyMade) {

  /** The comment of a table that the task creates. */
  String comment(TableId table) {
    return mark().commentOf(table);
  }

  boolean isMade(FoundTable table) {
    return mark().isOf(table.table(), table.comment());
  }

  private TaskMark mark() {
    return rows.mark()
        .orElseThrow(() -> new IllegalStateException("BUG: tables are made without a mark"));
  }

  /** What a drop would lose that may not be the task's own. */
  private enum Loss {
    NOT_MADE,
    TRIGGERS,
    ROWS
  }

  /** Whether a table has rows; checked only if it matters. */
  private interface Filled {
    boolean of(FoundTable table) throws SQLException;
  }

  /** Why the tables may not be dropped, all problems. Changes nothing, and locks nothing. */
  List<Problem> problems(TargetConnection connection, Collection<TableId> tables)
      throws SQLException {
    List<FoundTable> found = new ArrayList<>();
    Map<TableId, Set<TableId>> references = making.references(connection, tables);
    for (TableId table : tables) {
      making.find(connection, table).ifPresent(found::add);
    }
    List<Problem> problems =
        problems(
            found,
            tables,
            references,
            table -> connection.exists("SELECT 1 FROM " + table.table().quoted() + " LIMIT 1"));
    connection.rollback();
    return problems;
  }

  private List<Problem> problems(
      List<FoundTable> found,
      Collection<TableId> tables,
      Map<TableId, Set<TableId>> references,
      Filled filled)
      throws SQLException {
    List<Problem> problems = new ArrayList<>();
    Map<Loss, List<FoundTable>> losses = new EnumMap<>(Loss.class);
    for (FoundTable table : found) {
      problems.addAll(never(table, tables, references));
      loss(table, filled)
          .ifPresent(loss -> losses.computeIfAbsent(loss, any -> new ArrayList<>()).add(table));
    }
    losses.forEach((loss, lost) -> problems.addAll(problems(loss, lost)));
    return problems;
  }

  private Optional<Loss> loss(FoundTable table, Filled filled) throws SQLException {
    if (!table.ordinary() || rows.mayOverwrite() && !onlyMade) {
      return Optional.empty();
    }
    if (!isMade(table)) {
      return Optional.of(Loss.NOT_MADE);
    }
    if (!table.triggers().isEmpty()) {
      return Optional.of(Loss.TRIGGERS);
    }
    // Rows of a table that the task made are covered by consent as well.
    boolean own = rows.mayOverwrite() || rows.own().test(table.table());
    return !own && filled.of(table) ? Optional.of(Loss.ROWS) : Optional.empty();
  }

  private List<Problem> problems(Loss loss, List<FoundTable> lost) {
    return switch (loss) {
      case NOT_MADE ->
          onlyMade
              ? lost.stream().map(DropGuard::replaced).toList()
              : List.of(needsConsent("that this task did not make", lost));
      case TRIGGERS -> lost.stream().map(this::triggered).toList();
      case ROWS -> List.of(needsConsent("with rows that this task has not loaded", lost));
    };
  }

  /**
   * Permits the drop of one table; called while nobody else can use it.
   *
   * @param references the references from before; the server refuses the drop because of later ones
   */
  TableMaking.Permission permission(
      Collection<TableId> tables, Map<TableId, Set<TableId>> references) {
    return (found, filled) -> {
      List<Problem> problems = problems(List.of(found), tables, references, any -> filled);
      if (!problems.isEmpty()) {
        throw new SluiceException.Fatal(problems);
      }
    };
  }

  /** Whether the table exists and the task created it. */
  boolean isMade(TargetConnection connection, TableId table) throws SQLException {
    return making
        .find(connection, table)
        .filter(FoundTable::ordinary)
        .filter(this::isMade)
        .isPresent();
  }

  /** Problems that no consent of the user covers. */
  private List<Problem> never(
      FoundTable found, Collection<TableId> tables, Map<TableId, Set<TableId>> references) {
    List<Problem> problems = new ArrayList<>();
    String thing = "target table " + found.table();
    if (!found.ordinary()) {
      problems.add(
          new Problem(
              thing,
              "is a " + found.kind(),
              "an ordinary table, which the task drops and creates again, or nothing",
              "Check whether this is the intended target. Rename the table or drop it by hand"));
      return problems;
    }
    anothers(found).ifPresent(problems::add);
    Set<TableId> others = new HashSet<>(references.getOrDefault(found.table(), Set.of()));
    others.removeAll(tables);
    if (!others.isEmpty()) {
      problems.add(referenced(found.table(), "of " + others));
    }
    return problems;
  }

  /** The problem that foreign keys of others reference a table. */
  static Problem referenced(TableId table, String whose) {
    return new Problem(
        "target table " + table,
        "is referenced by foreign keys " + whose,
        "nothing outside of the task that depends on it",
        "Drop these foreign keys, or set TargetTablePrepMode to TRUNCATE_BEFORE_LOAD");
  }

  /** The problem that another task created a table; empty if none did. */
  Optional<Problem> anothers(FoundTable found) {
    return mark().isAnothersIn(found.comment())
        ? Optional.of(
            new Problem(
                "target table " + found.table(),
                "was made by another task: " + found.comment(),
                "a table that this task made, or none; overwrite-target-rows does not cover what"
                    + " another task made",
                "Check whether two task files name the same target. Where that task is gone for"
                    + " good, run: "
                    + making.withoutComment(found.table())))
        : Optional.empty();
  }

  private static Problem replaced(FoundTable found) {
    return new Problem(
        "target table " + found.table(),
        "was not made by this task; it may have come in the place of one that was",
        "the table that the task made, or none: no other one is dropped here",
        "Check what it is, and rename it or drop it by hand; then try again");
  }

  /** Refuses to drop triggers, since their text would be lost. */
  private Problem triggered(FoundTable found) {
    return new Problem(
        "target table " + found.table(),
        "has trigger "
            + String.join(", trigger ", found.triggers())
            + ", which this task does not make, and which would be dropped with the table",
        "a table without triggers",
        "Keep their text (%s), drop them, and create them when the applications move"
            .formatted(making.textOfTriggers()));
  }

  private static Problem needsConsent(String what, List<FoundTable> tables) {
    return new Problem(
        "target tables",
        "%s %s: %s"
            .formatted(
                Counted.of(tables.size(), "table"),
                what,
                tables.stream()
                    .map(table -> table.table().toString())
                    .collect(Collectors.joining(", "))),
        "none, as TargetTablePrepMode DROP_AND_CREATE would drop them with their rows, triggers"
            + " and rights, at once and for good",
        "Check whether this is the intended target. Where they may be lost, write into the task"
            + " file: "
            + RowGuard.CONSENT);
  }
}
