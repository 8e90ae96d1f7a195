package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.inventory.SchemaObject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the target's catalog. Stateless, threadsafe. */
public interface CatalogReader {

  /** A table with all that decides how its rows are changed; empty if it does not exist. */
  Optional<TargetTable> table(Connection session, TableId id) throws SQLException;

  /**
   * The types of a table's columns, by their names without modifiers: {@code enum} for every enum,
   * with {@code []} for an array, a domain's base type for a domain. Empty if there is no table.
   *
   * <p>A server with other types gives the name of PostgreSQL's type that has such values: {@code
   * int8} for whole numbers, {@code numeric}, {@code float8}, {@code bool}, {@code bit}, {@code
   * bytea}, {@code date}, {@code time}, {@code timestamp}, and {@code text} for all others.
   */
  Map<String, String> columnTypes(Connection session, TableId id) throws SQLException;

  /**
   * These tables with their partitions and the tables that they are partitions of; the tables alone
   * if partitions are not tables there.
   */
  default Set<TableId> withPartitions(Connection session, Collection<TableId> tables)
      throws SQLException {
    return Set.copyOf(tables);
  }

  /**
   * Those of the tables that are plain: only the rows after a transaction count, and not its
   * statements, their order or the values in between. So no trigger or rule of the replica role
   * sees a change, rows are only checked by NOT NULL and by the one immediate unique index of the
   * key, and nobody decodes the database's log. Empty if that is not known.
   *
   * @param tables their object ids
   * @param keyed those whose changes find their row by a key; the others have no unique index
   */
  default Set<Long> plain(Connection session, Collection<Long> tables, Collection<Long> keyed)
      throws SQLException {
    return Set.of();
  }

  /**
   * The objects of the schemas apart from rows, and those of the database. Rights that an owner has
   * implicitly count as grants.
   */
  Set<SchemaObject> objects(Connection session, Collection<String> schemas) throws SQLException;
}
