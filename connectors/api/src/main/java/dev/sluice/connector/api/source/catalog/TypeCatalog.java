package dev.sluice.connector.api.source.catalog;

import dev.sluice.config.TableId;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The complete types of columns, as a database's catalog has them. Owned by one thread. */
public interface TypeCatalog extends AutoCloseable {

  TypeServer server();

  /** By table, and in the table's order by column; without generated columns. */
  Map<TableId, Map<String, TypeTree>> of(Set<TableId> tables);

  /** A type by its name, without modifiers; empty if it does not exist. */
  Optional<TypeTree> named(TableId name);

  @Override
  void close();
}
