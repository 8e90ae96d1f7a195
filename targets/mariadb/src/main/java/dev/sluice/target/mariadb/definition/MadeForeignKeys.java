package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OutlinedForeignKey;
import dev.sluice.target.mariadb.catalog.BoundedAlter;
import dev.sluice.target.mariadb.catalog.Shown;
import dev.sluice.target.mariadb.server.ServerKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/*
 * If foreign_key_checks is off in the session and the index exists, a foreign key is created at
 * once, and rejects new rows from then on. With the checks on, the server would copy the table, and
 * nobody could write to it meanwhile. So the order is: rows, index, foreign key, check of the rows.
 */
/**
 * The foreign keys between tables that Sluice creates. On MariaDB their names must be unique in the
 * database, on PostgreSQL only in their table. Immutable.
 */
final class MadeForeignKeys {
  private static final int LONGEST_NAME = 64;

  /** The order of a step that runs after all others, since applications need not wait for it. */
  private static final int AFTER_ALL = Integer.MAX_VALUE;

  private final ServerKind server;
  private final Map<TableId, MadeIndexes> tables = new HashMap<>();
  private final Map<String, Integer> names = new HashMap<>();

  MadeForeignKeys(ServerKind server, List<MadeIndexes> made) {
    this.server = server;
    for (MadeIndexes each : made) {
      tables.put(each.table().table(), each);
      each.table().foreignKeys().forEach(key -> names.merge(key.name(), 1, Integer::sum));
    }
  }

  List<CompletionStep> steps(TableOutline table) {
    List<CompletionStep> steps = new ArrayList<>();
    for (OutlinedForeignKey key : table.foreignKeys()) {
      String name = table.table() + "." + key.name();
      Optional<String> unable = unable(table, key);
      steps.add(
          unable.isPresent()
              ? CompletionStep.leftOut(
                  table.table(), Stage.CONSTRAINTS, Kind.FOREIGN_KEY, name, unable.get())
              : step(table, key, name));
    }
    return steps;
  }

  /**
   * The indexes that foreign keys need and that the source's tables do not have. Also if the
   * referenced table is not created in the same run, since a table that is loaded again is created
   * alone.
   */
  List<CompletionStep> indexes(TableOutline table) {
    MadeIndexes made = tables.get(table.table());
    List<CompletionStep> steps = new ArrayList<>();
    List<List<String>> own = new ArrayList<>();
    for (OutlinedForeignKey key : table.foreignKeys()) {
      boolean alone = key.special().isEmpty() && !tables.containsKey(key.references());
      if (!alone && unable(table, key).isPresent()) {
        continue;
      }
      List<String> columns = alone ? key.columns() : columns(key);
      if (made.canIndex(columns) && !made.beginWith(columns) && !own.contains(columns)) {
        own.add(columns);
        steps.add(made.stepOf(nameOf(table, key), columns));
      }
    }
    return steps;
  }

  /** Checks the rows that were there before the foreign keys. */
  List<CompletionStep> validations(TableOutline table) {
    return table.foreignKeys().stream()
        .filter(key -> unable(table, key).isEmpty())
        .map(key -> validation(table, key))
        .toList();
  }

  private CompletionStep validation(TableOutline table, OutlinedForeignKey key) {
    String shown = table.table() + "." + key.name();
    List<String> referenced = referenced(key).orElseThrow();
    return CompletionStep.of(
            table.table(),
            Stage.CONSTRAINTS,
            AFTER_ALL,
            Kind.VALIDATION,
            shown,
            List.of(
                new DefinitionStatement(
                    tables.get(table.table()).dialect(),
                    "rows of constraint " + shown,
                    "",
                    UnmatchedRows.query(table, columns(key), key.references(), referenced))))
        .referencing(key.references());
  }

  private CompletionStep step(TableOutline table, OutlinedForeignKey key, String shown) {
    String name = nameOf(table, key);
    List<String> referenced = referenced(key).orElseThrow();
    String sql =
        // All later statements on the table would wait behind one that waits for its lock. On MySQL
        // the session has the timeout. A server that would have to copy the table refuses the
        // statement.
        "%sALTER TABLE %s ADD CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s (%s) ON UPDATE %s ON DELETE %s, ALGORITHM = %s"
            .formatted(
                server == ServerKind.MARIADB
                    ? "SET STATEMENT lock_wait_timeout = %d FOR ".formatted(BoundedAlter.SECONDS)
                    : "",
                table.table().quoted(),
                TableId.quote(name),
                list(columns(key)),
                key.references().quoted(),
                list(referenced),
                key.onUpdate(),
                key.onDelete(),
                server == ServerKind.MARIADB ? "NOCOPY" : "INPLACE");
    String there =
        "SELECT 1 FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = %s AND TABLE_NAME = %s AND CONSTRAINT_NAME = %s"
            .formatted(
                Shown.text(table.table().schema()),
                Shown.text(table.table().name()),
                Shown.text(name));
    return CompletionStep.of(
            table.table(),
            Stage.CONSTRAINTS,
            0,
            Kind.FOREIGN_KEY,
            shown,
            List.of(
                new DefinitionStatement(
                    tables.get(table.table()).dialect(), "constraint " + shown, there, sql)))
        .referencing(key.references());
  }

  private String nameOf(TableOutline table, OutlinedForeignKey key) {
    if (names.getOrDefault(key.name(), 0) <= 1) {
      return key.name();
    }
    String name = table.table().name() + "_" + key.name();
    return name.length() <= LONGEST_NAME
        ? name
        : name.substring(0, LONGEST_NAME - 9) + "_" + Integer.toHexString(name.hashCode());
  }

  /** The columns of the foreign key in the order of the referenced index. */
  private List<String> columns(OutlinedForeignKey key) {
    return referenced(key).orElseThrow().stream()
        .map(column -> key.columns().get(key.referencedColumns().indexOf(column)))
        .toList();
  }

  /** The referenced columns in the order of their unique index. */
  private Optional<List<String>> referenced(OutlinedForeignKey key) {
    return Optional.ofNullable(tables.get(key.references()))
        .flatMap(other -> other.uniqueOn(key.referencedColumns()));
  }

  /** Why a foreign key is not created; empty if it is. */
  private Optional<String> unable(TableOutline table, OutlinedForeignKey key) {
    if (key.special().isPresent()) {
      return Optional.of(
          "%s, which Sluice does not create here; create one by hand if it is needed"
              .formatted(key.special().get()));
    }
    if (!tables.containsKey(key.references())) {
      return Optional.of("the task does not create the table " + key.references());
    }
    if (referenced(key).isEmpty()) {
      return Optional.of(
          "Sluice creates no unique index on %s of %s"
              .formatted(key.referencedColumns(), key.references()));
    }
    for (String action : List.of(key.onUpdate(), key.onDelete())) {
      boolean required =
          key.columns().stream()
              .anyMatch(name -> table.column(name).filter(column -> column.notNull()).isPresent());
      if (action.equals("SET DEFAULT") || action.equals("SET NULL") && required) {
        return Optional.of(server.label() + " does not support " + action + " here");
      }
    }
    for (int i = 0; i < key.columns().size(); i++) {
      Optional<String> own = tables.get(table.table()).columns().type(key.columns().get(i));
      Optional<String> other =
          tables.get(key.references()).columns().type(key.referencedColumns().get(i));
      if (own.isEmpty() || other.isEmpty() || !own.equals(other)) {
        return Optional.of(
            "the types of %s and %s differ on the target"
                .formatted(key.columns().get(i), key.referencedColumns().get(i)));
      }
    }
    return Optional.empty();
  }

  private static String list(List<String> columns) {
    return columns.stream().map(TableId::quote).collect(Collectors.joining(", "));
  }
}
