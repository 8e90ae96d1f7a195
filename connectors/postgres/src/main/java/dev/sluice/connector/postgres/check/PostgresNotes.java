package dev.sluice.connector.postgres.check;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.postgres.server.PostgresConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes the notes for the user about a source. They do not prevent a start. Owned by the
 * connection's thread.
 */
record PostgresNotes(Connection connection, PostgresConfig config, TableMappings mappings) {

  /**
   * The notes.
   *
   * @param tables that the mappings select
   * @param views that they select
   * @param slot the name of the task's slot
   */
  List<String> of(List<CatalogTable> tables, List<CatalogTable> views, String slot)
      throws SQLException {
    List<String> notes = new ArrayList<>();
    if (SourceServerChecks.setting(connection, "max_slot_wal_keep_size").equals("-1")) {
      notes.add(
          "max_slot_wal_keep_size is -1: while Sluice is stopped the source keeps all its log for the slot "
              + slot
              + "; watch its disk");
    }
    notes.addAll(
        mappings.idleRules(
            Stream.concat(tables.stream(), views.stream())
                .collect(
                    Collectors.toMap(
                        CatalogTable::table,
                        table -> table.columns().stream().map(CatalogColumn::name).toList()))));
    notes.addAll(ofImages(mappings, tables));
    notes.addAll(ofImages(mappings.ofViews(), views));
    tables.forEach(table -> notes.addAll(generated(table)));
    return notes;
  }

  private List<String> ofImages(TableMappings rules, List<CatalogTable> relations)
      throws SQLException {
    BeforeImageChecks ofImages =
        new BeforeImageChecks(
            config, rules, false, connection.getMetaData().getDatabaseMajorVersion());
    return relations.stream().flatMap(relation -> ofImages.notes(relation).stream()).toList();
  }

  private static List<String> generated(CatalogTable table) {
    List<String> generated =
        table.columns().stream().filter(CatalogColumn::generated).map(CatalogColumn::name).toList();
    return generated.isEmpty()
        ? List.of()
        : List.of(
            "table "
                + table.table()
                + ": the generated columns "
                + generated
                + " are not copied; the target computes them");
  }
}
