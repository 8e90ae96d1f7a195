package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.inventory.SchemaObject;
import dev.sluice.sink.target.CatalogReader;
import dev.sluice.sink.target.TargetTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the catalog as PostgreSQL's, and names constraints that make a table unfit. Stateless. */
final class YugabyteCatalog implements CatalogReader {

  /**
   * Constraints of the table and its partitions that are not checked immediately in the replica
   * role.
   */
  private static final String UNCHECKED =
      """
      SELECT DISTINCT c.conname, CASE c.contype WHEN 'x' THEN 'an exclusion' ELSE 'a deferrable' END
      FROM pg_constraint c
      WHERE (c.contype = 'x' OR c.contype IN ('p', 'u') AND c.condeferrable)
        AND (c.conrelid = ?::int8::oid
             OR c.conrelid IN (SELECT relid FROM pg_partition_tree(?::int8::oid::regclass)))
      ORDER BY 1
      """;

  private final CatalogReader postgres;

  YugabyteCatalog(CatalogReader postgres) {
    this.postgres = postgres;
  }

  @Override
  public Optional<TargetTable> table(Connection session, TableId id) throws SQLException {
    Optional<TargetTable> found = postgres.table(session, id);
    return found.isEmpty() ? found : Optional.of(judged(session, found.get()));
  }

  private static TargetTable judged(Connection session, TargetTable table) throws SQLException {
    List<Problem> unfit = new ArrayList<>(table.unfit());
    try (PreparedStatement statement = session.prepareStatement(UNCHECKED)) {
      statement.setLong(1, table.oid());
      statement.setLong(2, table.oid());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          unfit.add(problem(table.id(), row.getString(1), row.getString(2)));
        }
      }
    }
    return table.withUnfit(unfit);
  }

  private static Problem problem(TableId table, String constraint, String kind) {
    return new Problem(
        "target table " + table,
        "constraint %s is %s constraint, whose checks need a function that YugabyteDB lacks"
            .formatted(constraint, kind),
        "constraints that are checked at each statement",
        "Run: ALTER TABLE %s DROP CONSTRAINT %s, and make a plain one if it is deferrable"
            .formatted(table.quoted(), TableId.quote(constraint)));
  }

  @Override
  public Map<String, String> columnTypes(Connection session, TableId id) throws SQLException {
    return postgres.columnTypes(session, id);
  }

  @Override
  public Set<TableId> withPartitions(Connection session, Collection<TableId> tables)
      throws SQLException {
    return postgres.withPartitions(session, tables);
  }

  /** None: nobody has proven that on YugabyteDB only the rows after a transaction count. */
  @Override
  public Set<Long> plain(Connection session, Collection<Long> tables, Collection<Long> keyed) {
    return Set.of();
  }

  /** Indexes have another access method than PostgreSQL's, which must not count as a difference. */
  @Override
  public Set<SchemaObject> objects(Connection session, Collection<String> schemas)
      throws SQLException {
    return postgres.objects(session, schemas).stream()
        .map(
            object ->
                new SchemaObject(
                    object.kind(),
                    object.schema(),
                    object.relation(),
                    object.name(),
                    object.shape().map(shape -> shape.replaceFirst("^lsm ", "btree "))))
        .collect(Collectors.toSet());
  }
}
