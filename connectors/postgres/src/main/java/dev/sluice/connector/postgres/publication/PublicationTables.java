package dev.sluice.connector.postgres.publication;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.connector.postgres.server.LockAttempts;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts tables into a publication, with their row filters, in short attempts for locks. Owned by the
 * connection's thread.
 *
 * @param publication its name
 * @param filterOf the row filter of a table; empty: all rows
 */
record PublicationTables(
    Connection connection,
    String publication,
    Function<TableId, Optional<RowFilter>> filterOf,
    LockAttempts locks) {
  private static final Logger LOG = LoggerFactory.getLogger(PublicationTables.class);

  /**
   * Creates the publication with its mark in one transaction: without a mark it would count as the
   * user's.
   *
   * @param mark of the task
   */
  void create(List<TableId> tables, String mark) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      locks.run(
          "creating publication " + publication,
          connection,
          () -> {
            statement.execute(
                "CREATE PUBLICATION %s FOR TABLE %s WITH (publish = 'insert, update, delete, truncate', publish_via_partition_root = false)"
                    .formatted(TableId.quote(publication), list(tables)));
            statement.execute(
                "COMMENT ON PUBLICATION %s IS %s"
                    .formatted(TableId.quote(publication), SqlLiteral.of(mark)));
            connection.commit();
          });
    }
    LOG.info("publication {} created for {}", publication, Counted.of(tables.size(), "table"));
  }

  /**
   * Sets the filters of those tables that the publication has, and adds the others.
   *
   * @param follows whether the slot exists, so that filters must not change
   * @throws dev.sluice.config.document.SluiceException.Fatal if a filter would change
   */
  void add(List<TableId> tables, boolean follows) throws SQLException {
    String attempted = "altering publication " + publication;
    PublishedFilters filters = new PublishedFilters(connection, publication);
    locks.run(attempted, connection, () -> filters.require(tables, filterOf, follows));
    FoundPublication found = new FoundPublication(connection, publication);
    Set<TableId> missing = new TreeSet<>(tables);
    missing.removeAll(found.tables());
    missing.removeAll(found.named());
    if (missing.isEmpty()) {
      return;
    }
    String alter =
        "ALTER PUBLICATION %s ADD TABLE %s".formatted(TableId.quote(publication), list(missing));
    try (Statement statement = connection.createStatement()) {
      locks.run(attempted, connection, () -> statement.execute(alter));
    }
    LOG.info(
        "publication {}: added {}: {}",
        publication,
        Counted.of(missing.size(), "more table"),
        missing);
  }

  private String list(Collection<TableId> tables) {
    return tables.stream()
        .map(table -> PublishedFilters.named(table, filterOf.apply(table)))
        .collect(Collectors.joining(", "));
  }
}
