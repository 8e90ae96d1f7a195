package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.IndexedColumn;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.connector.api.load.TableOutline.OutlinedForeignKey;
import dev.sluice.connector.api.load.TableOutline.OutlinedIndex;
import java.util.List;
import java.util.Optional;

/** Outlines of PostgreSQL's tables that targets of another kind make. */
public final class LoadTestOutlines {
  private LoadTestOutlines() {}

  /**
   * With a counted key, a unique index and one that descends.
   *
   * @param codeDefault the default of its code, as PostgreSQL prints it
   */
  public static TableOutline item(TableId name, String codeDefault) {
    return new TableOutline(
        name,
        name,
        List.of(
            new OutlinedColumn("id", "integer", true, false, true, Optional.empty()),
            new OutlinedColumn(
                "code", "character varying(20)", true, false, false, Optional.of(codeDefault)),
            column("note", "text", false)),
        List.of("id"),
        true,
        List.of(
            new OutlinedIndex(
                "by_code", true, List.of(new IndexedColumn("code", false)), Optional.empty()),
            new OutlinedIndex(
                "by_note", false, List.of(new IndexedColumn("note", true)), Optional.empty())),
        List.of(),
        List.of());
  }

  /** With a foreign key to an item. */
  public static TableOutline part(TableId name, TableId item) {
    return new TableOutline(
        name,
        name,
        List.of(column("id", "integer", true), column("item", "integer", false)),
        List.of("id"),
        true,
        List.of(),
        List.of(
            new OutlinedForeignKey(
                "part_item_fkey",
                List.of("item"),
                item,
                List.of("id"),
                "NO ACTION",
                "CASCADE",
                Optional.empty())),
        List.of());
  }

  /** With a column {@code id} that is its key, among others. */
  public static TableOutline table(TableId name, OutlinedColumn... columns) {
    return new TableOutline(
        name, name, List.of(columns), List.of("id"), true, List.of(), List.of(), List.of());
  }

  public static OutlinedColumn column(String name, String type, boolean notNull) {
    return new OutlinedColumn(name, type, notNull, false, false, Optional.empty());
  }
}
