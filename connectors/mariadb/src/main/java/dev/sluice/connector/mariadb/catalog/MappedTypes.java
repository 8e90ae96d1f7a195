package dev.sluice.connector.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.catalog.PrintedForm;
import dev.sluice.connector.api.source.catalog.TypeCatalog;
import dev.sluice.connector.api.source.catalog.TypeServer;
import dev.sluice.connector.api.source.catalog.TypeTree;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The types of PostgreSQL that the columns of a MariaDB database are mapped to. All are built in.
 * Immutable.
 */
public final class MappedTypes implements TypeCatalog {
  /** Values have the same text for all releases of PostgreSQL. */
  private static final TypeServer SERVER =
      new TypeServer(16, "UTF8", 100, false, Map.of(), Map.of());

  private final DatabaseTables catalog;

  public MappedTypes(DatabaseTables catalog) {
    this.catalog = catalog;
  }

  @Override
  public TypeServer server() {
    return SERVER;
  }

  @Override
  public Map<TableId, Map<String, TypeTree>> of(Set<TableId> tables) {
    Map<TableId, Map<String, TypeTree>> types = new HashMap<>();
    for (MariadbTable table : catalog.tables()) {
      if (tables.contains(table.table())) {
        Map<String, TypeTree> columns = new LinkedHashMap<>();
        table
            .columns()
            .forEach(column -> columns.put(column.name(), PrintedForm.of(column.mappedType())));
        types.put(table.table(), columns);
      }
    }
    return types;
  }

  /** Empty: MariaDB has no user-defined types. */
  @Override
  public Optional<TypeTree> named(TableId name) {
    return Optional.empty();
  }

  @Override
  public void close() {
    // The catalog was read before.
  }
}
