package dev.sluice.connector.postgres.check;

import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.BeforeImages;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.Kind;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.postgres.catalog.FullIdentity;
import dev.sluice.connector.postgres.server.PostgresConfig;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks the before-image rules against the source's tables. Pure. */
final class BeforeImageChecks {
  private final PostgresConfig config;
  private final TableMappings mappings;
  private final boolean capture;
  private final int version;

  /**
   * @param capture whether changes are replicated; else the tables are only loaded
   * @param version the server's major one
   */
  BeforeImageChecks(PostgresConfig config, TableMappings mappings, boolean capture, int version) {
    this.config = config;
    this.mappings = mappings;
    this.capture = capture;
    this.version = version;
  }

  /** The problems of an ordinary table, a partitioned one or a partition. */
  List<Problem> problems(CatalogTable table) {
    Optional<BeforeImages> images = mappings.beforeImages(table.root());
    if (images.isEmpty() || table.kind() == Kind.FOREIGN || table.kind() == Kind.VIEW) {
      return List.of();
    }
    List<Problem> problems = new ArrayList<>();
    if (!table.isPartition()) {
      problems.addAll(sameNames(table, images.get()));
    }
    if (!capture) {
      return problems;
    }
    if (!table.isPartition() && !table.hasKey() && images.get().needWholeRows()) {
      problems.add(
          problem(
              table,
              images.get(),
              "it has no primary key, so a row is matched by all its columns, and their old values are not known on the target",
              "a primary key",
              "Give it one, or narrow the rule's object-locator or its column-filter to pk-only"));
    }
    if (table.kind() == Kind.ORDINARY && table.hasKey()) {
      identity(table, images.get()).ifPresent(problems::add);
    }
    return problems;
  }

  private Optional<Problem> identity(CatalogTable table, BeforeImages images) {
    String full = "Run: ALTER TABLE %s REPLICA IDENTITY %%s;".formatted(table.table().quoted());
    if (table.oldRow() == OldRow.OTHER_KEY) {
      return Optional.of(
          problem(
              table,
              images,
              "its replica identity is an index, so its log does not have the primary key's old values",
              "REPLICA IDENTITY " + (images.needWholeRows() ? "FULL" : "DEFAULT or FULL"),
              full.formatted(images.needWholeRows() ? "FULL" : "DEFAULT")));
    }
    if (!images.needWholeRows() || table.oldRow() == OldRow.ALL_COLUMNS) {
      return Optional.empty();
    }
    if (FullIdentity.isRefused(table, version)) {
      return Optional.of(
          problem(
              table,
              images,
              "its log must have complete old rows, and it has generated columns: with REPLICA IDENTITY FULL "
                  + FullIdentity.WRITERS_REFUSED,
              "a table without generated columns",
              "Set the rule's column-filter to pk-only, or exclude the table from its object-locator"));
    }
    return config.replicaIdentityFull()
        ? Optional.empty()
        : Optional.of(
            problem(
                table,
                images,
                "its log does not have complete old rows",
                "REPLICA IDENTITY FULL",
                full.formatted("FULL")
                    + " or let Sluice do it by source.replica-identity-full: true in the task file; or set the rule's column-filter to pk-only"));
  }

  /** Generated columns are not replicated, but exist on the target. */
  private List<Problem> sameNames(CatalogTable table, BeforeImages images) {
    ColumnNames names = mappings.columns();
    Set<String> generated = new HashSet<>();
    table.columns().stream()
        .filter(CatalogColumn::generated)
        .forEach(column -> names.of(table.table(), column.name()).ifPresent(generated::add));
    return table.journaledColumns().stream()
        .flatMap(
            column ->
                names
                    .beforeOf(table.table(), column.name(), column.type(), column.key())
                    .filter(generated::contains)
                    .stream())
        .map(
            name ->
                problem(
                    table,
                    images,
                    "a generated column is called " + name + " already",
                    "names that no other column has",
                    "Choose another column-prefix or column-suffix"))
        .toList();
  }

  /** Notes on a table or a view; they do not prevent a start. */
  List<String> notes(CatalogTable table) {
    Optional<BeforeImages> images = mappings.beforeImages(table.table());
    if (images.isEmpty()) {
      return List.of();
    }
    String thing =
        "%s %s: rule %s"
            .formatted(
                table.kind() == Kind.VIEW ? "view" : "table", table.table(), images.get().rule());
    if (!table.hasKey()) {
      return List.of(
          thing + " adds no before-image columns: it has no key by which its rows are updated");
    }
    List<String> generated =
        table.columns().stream()
            .filter(CatalogColumn::generated)
            .filter(column -> images.get().needWholeRows())
            .map(CatalogColumn::name)
            .toList();
    return generated.isEmpty()
        ? List.of()
        : List.of(
            thing
                + " adds no before-image columns for the generated columns "
                + generated
                + ", which are not in the log");
  }

  private static Problem problem(
      CatalogTable table, BeforeImages images, String found, String expected, String fix) {
    return new Problem(
        "table " + table.table(),
        "rule %s adds before-image columns: %s".formatted(images.rule(), found),
        expected,
        fix);
  }
}
