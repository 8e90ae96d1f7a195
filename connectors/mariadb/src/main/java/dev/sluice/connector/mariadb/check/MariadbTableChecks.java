package dev.sluice.connector.mariadb.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbForeignKey;
import dev.sluice.connector.mariadb.catalog.MariadbIndex;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.definition.GeneratedColumns;
import dev.sluice.connector.mariadb.filter.FilterProblems;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Checks single tables. Used by one thread. */
final class MariadbTableChecks {
  private static final String TRANSACTIONAL = "InnoDB";

  private final boolean capture;
  private final UnloggedKeys notLogged;

  /**
   * @param capture whether changes are replicated; else the tables are only loaded
   */
  MariadbTableChecks(boolean capture, UnloggedKeys notLogged) {
    this.capture = capture;
    this.notLogged = notLogged;
  }

  List<Problem> problems(MariadbTable table) {
    List<Problem> problems = new ArrayList<>();
    if (!table.engine().equals(TRANSACTIONAL)) {
      problems.add(
          problem(
              table,
              "its engine is " + table.engine() + ", which has no transactions and no snapshots",
              "engine InnoDB",
              "Run: ALTER TABLE %s ENGINE = InnoDB;".formatted(name(table))));
    }
    if (table.systemVersioned() || table.columns().stream().anyMatch(MariadbColumn::isRowPeriod)) {
      problems.add(
          problem(
              table,
              "it keeps old versions of its rows (WITH SYSTEM VERSIONING), and the log has those as"
                  + " rows",
              "a table without system versions",
              "Exclude it by a selection rule"));
    }
    for (MariadbColumn column : table.columns()) {
      column.problemOfType().ifPresent(problems::add);
    }
    Stream.concat(
            Stream.of(table.table().name()), table.columns().stream().map(MariadbColumn::name))
        .filter(name -> bytes(name) > TableId.LONGEST_NAME)
        .forEach(
            name ->
                problems.add(
                    problem(
                        table,
                        "the name %s has %d bytes".formatted(name, bytes(name)),
                        "at most %d, as in PostgreSQL".formatted(TableId.LONGEST_NAME),
                        "Rename it, or exclude the table by a selection rule")));
    if (capture) {
      problems.addAll(problemsOfCapture(table));
    }
    return problems;
  }

  private List<Problem> problemsOfCapture(MariadbTable table) {
    List<Problem> problems = new ArrayList<>();
    if (table.key().isEmpty()) {
      problems.add(
          problem(
              table,
              "it has no primary key, and no unique index without NULL: the row of an UPDATE or"
                  + " DELETE could not be identified",
              "a primary key",
              "Run: ALTER TABLE %s ADD PRIMARY KEY (…); or exclude it by a selection rule"
                  .formatted(name(table))));
    }
    for (MariadbForeignKey key : notLogged.keys()) {
      if (key.table().equals(table.table()) && key.changesRows()) {
        problems.add(
            problem(
                table,
                "its foreign key %s has ON UPDATE %s ON DELETE %s, and %s"
                    .formatted(key.name(), key.onUpdate(), key.onDelete(), notLogged.reason()),
                "RESTRICT or NO ACTION, so that the applications change its rows themselves",
                "Recreate the foreign key without it, or exclude the table by a selection rule"));
      }
    }
    return problems;
  }

  /** The problems of a table's filter with the columns of the table. */
  static List<Problem> problemsOfFilter(MariadbTable table, TableMappings mappings) {
    return mappings
        .filter(table.table())
        .map(filter -> FilterProblems.ofColumns(filter, table))
        .orElse(List.of());
  }

  /**
   * The problems of rules for a table that cannot be applied; without {@link #problemsOfFilter}.
   *
   * @param values for values that PostgreSQL does not have
   */
  static List<Problem> problemsOfRules(
      MariadbTable table, TableMappings mappings, ValuePolicy values) {
    Map<String, String> types = new LinkedHashMap<>();
    table.columns().forEach(column -> types.put(column.name(), column.mappedType()));
    List<Problem> problems =
        new ArrayList<>(mappings.problemsOf(table.table(), types, table.keyColumns()));
    mappings
        .filter(table.table())
        .ifPresent(filter -> problems.addAll(FilterProblems.ofSettings(filter, table, values)));
    if (mappings.wantsOldRows(table.table())) {
      problems.add(
          new Problem(
              "table-mappings for " + table.table(),
              "a rule adds columns with the values before a change, which is not built for this source",
              "rules without before images",
              "Remove the rule"));
    }
    return problems;
  }

  static List<String> notes(MariadbTable table, TableMappings mappings) {
    List<String> notes = new ArrayList<>();
    for (MariadbIndex index : table.indexes()) {
      List<String> alike =
          index.unique()
              ? index.columns().stream()
                  .filter(
                      name ->
                          table.column(name).filter(MariadbColumn::equalsOtherTexts).isPresent())
                  .toList()
              : List.of();
      if (!alike.isEmpty()) {
        notes.add(
            ("table %s: the collation of %s in the unique index %s takes texts such as a and A for"
                    + " equal; PostgreSQL does not, so after a cutover it accepts both")
                .formatted(table.table(), alike, index.name()));
      }
    }
    List<String> invisible =
        table.columns().stream()
            .filter(MariadbColumn::isInvisible)
            .map(MariadbColumn::name)
            .toList();
    if (!invisible.isEmpty()) {
      notes.add(
          "table %s: the invisible columns %s are ordinary ones on the target, which SELECT * shows and an INSERT without names of columns needs"
              .formatted(table.table(), invisible));
    }
    notes.addAll(generatedNotes(table, mappings));
    return notes;
  }

  private static List<String> generatedNotes(MariadbTable table, TableMappings mappings) {
    List<String> notes = new ArrayList<>();
    GeneratedColumns generated = GeneratedColumns.of(table);
    boolean kept =
        mappings.keepsColumns(
            table.table(), table.columns().stream().map(MariadbColumn::name).toList());
    List<String> made = new ArrayList<>();
    for (MariadbColumn column : table.columns()) {
      String reason =
          kept
              ? generated.reasons().get(column.name())
              : "rules remove, add or change columns of its table, or define its key";
      if (column.isComputed() && reason != null) {
        notes.add(
            "table %s: the generated column %s becomes an ordinary one on the target, with the source's values up to the cutover; nothing fills it after it: %s"
                .formatted(table.table(), column.name(), reason));
      } else if (column.isComputed()) {
        made.add(column.name());
      }
    }
    if (!made.isEmpty()) {
      notes.add(
          "table %s: the generated columns %s are generated on the target as well, if it is PostgreSQL and the load makes the table; on MariaDB and MySQL they become ordinary ones"
              .formatted(table.table(), made));
    }
    return notes;
  }

  private static Problem problem(MariadbTable table, String found, String expected, String fix) {
    return new Problem("table " + table.table(), found, expected, fix);
  }

  private static String name(MariadbTable table) {
    return "`%s`.`%s`".formatted(table.table().schema(), table.table().name());
  }

  private static int bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8).length;
  }
}
