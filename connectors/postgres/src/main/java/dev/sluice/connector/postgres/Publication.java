package dev.sluice.connector.postgres;

import dev.sluice.config.Counted;
import dev.sluice.config.Problem;
import dev.sluice.config.RowFilter;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.CatalogTable.ReplicaIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The publication that names what the log sends. Changes of partitioned tables come under the name
 * of their leaf ({@code publish_via_partition_root} off): under the root's, the TRUNCATE of one
 * partition would leave no message. Each use is from one thread.
 */
public final class Publication {
  private static final Logger LOG = LoggerFactory.getLogger(Publication.class);

  private static final String NOT_ALLOWED = "42501";

  private final SourceServer server;
  private final String name;
  private final LockAttempts locks;

  Publication(SourceServer server, String name) {
    this(server, name, new LockAttempts(server));
  }

  Publication(SourceServer server, String name, LockAttempts locks) {
    this.server = server;
    this.name = name;
    this.locks = locks;
  }

  public String name() {
    return name;
  }

  /**
   * Creates it where it is missing, and adds the tables that it lacks.
   *
   * @param tables as {@link SourceCatalog#named} gives them
   */
  public void include(List<TableId> tables) {
    include(tables, table -> Optional.empty(), false);
  }

  /**
   * The same, with some tables' rows filtered.
   *
   * @param filterOf which rows of a table are published
   * @param follows whether the slot is there, so that filters must not change
   * @throws SluiceException.Fatal where they would
   */
  public void include(
      List<TableId> tables, Function<TableId, Optional<RowFilter>> filterOf, boolean follows) {
    try (Connection connection = server.open();
        Statement statement = connection.createStatement()) {
      PublishedFilters filters = new PublishedFilters(connection, name);
      filters.requireWholeRows(tables, filterOf);
      if (!exists(connection)) {
        alter(
            statement,
            "CREATE PUBLICATION %s FOR TABLE %s WITH (publish = 'insert, update, delete, truncate', publish_via_partition_root = false)"
                .formatted(TableId.quote(name), list(tables, filterOf)));
        LOG.info("publication {} created for {}", name, Counted.of(tables.size(), "table"));
        return;
      }
      if (isForAllTables(connection)) {
        return;
      }
      locks.run(
          "altering publication " + name,
          connection,
          () -> filters.require(tables, filterOf, follows));
      Set<TableId> missing = new TreeSet<>(tables);
      missing.removeAll(tables(connection));
      missing.removeAll(named(connection));
      if (!missing.isEmpty()) {
        alter(
            statement,
            "ALTER PUBLICATION %s ADD TABLE %s"
                .formatted(TableId.quote(name), list(missing, filterOf)));
        LOG.info(
            "publication {} now has {}: {}",
            name,
            Counted.of(missing.size(), "more table"),
            missing);
      }
    } catch (SQLException e) {
      throw SourceFailures.classifyOnNamedTables("creating publication " + name, e);
    }
  }

  /**
   * Gives REPLICA IDENTITY FULL to the tables that have none; before they are published, since
   * PostgreSQL refuses UPDATE and DELETE on a published table without.
   *
   * @return the tables that were altered
   */
  public List<TableId> giveReplicaIdentity(SourceCatalog catalog) {
    return giveReplicaIdentity(catalog, table -> false);
  }

  /**
   * The same, also to tables of which whole old rows are needed.
   *
   * @param wholeRows whether they are, by the name of the root
   */
  public List<TableId> giveReplicaIdentity(SourceCatalog catalog, Predicate<TableId> wholeRows) {
    List<TableId> without =
        catalog.published().stream()
            .filter(
                table ->
                    !table.hasReplicaIdentity()
                        || wholeRows.test(table.root())
                            && table.replicaIdentity() != ReplicaIdentity.FULL)
            .map(CatalogTable::table)
            .toList();
    for (TableId table : without) {
      try (Connection connection = server.open();
          Statement statement = connection.createStatement()) {
        String alter = "ALTER TABLE " + table.quoted() + " REPLICA IDENTITY FULL";
        locks.run(alter, connection, () -> statement.execute(alter));
        LOG.info("table {} now has REPLICA IDENTITY FULL", table);
      } catch (SQLException e) {
        throw SourceFailures.classifyOnNamedTables(
            "altering the replica identity of table " + table, e);
      }
    }
    return without;
  }

  /** What {@link #include} would refuse of a task that follows; changes nothing. */
  List<Problem> changedFilters(
      Connection connection, List<TableId> tables, Function<TableId, Optional<RowFilter>> filterOf)
      throws SQLException {
    try {
      new PublishedFilters(connection, name).require(tables, filterOf, true);
      return List.of();
    } catch (SluiceException.Fatal e) {
      return e.problems();
    } catch (SQLException e) {
      if (NOT_ALLOWED.equals(e.getSQLState())) {
        // Who may not alter it is told so elsewhere.
        return List.of();
      }
      throw e;
    }
  }

  public void drop() {
    try (Connection connection = server.open();
        Statement statement = connection.createStatement()) {
      alter(statement, "DROP PUBLICATION IF EXISTS " + TableId.quote(name));
    } catch (SQLException e) {
      throw SourceFailures.classify("dropping publication " + name, e);
    }
  }

  private void alter(Statement statement, String sql) throws SQLException {
    locks.run(
        "altering publication " + name, statement.getConnection(), () -> statement.execute(sql));
  }

  boolean exists(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT 1 FROM pg_catalog.pg_publication WHERE pubname = ?")) {
      statement.setString(1, name);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  /** The catalog's tables whose changes are not published. */
  public List<TableId> lacking(SourceCatalog catalog) {
    try (Connection connection = server.open()) {
      Set<TableId> published = tables(connection);
      return catalog.published().stream()
          .map(CatalogTable::table)
          .filter(table -> !published.contains(table))
          .toList();
    } catch (SQLException e) {
      throw SourceFailures.classify("looking at publication " + name, e);
    }
  }

  private boolean isForAllTables(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT 1 FROM pg_catalog.pg_publication WHERE pubname = ? AND puballtables")) {
      statement.setString(1, name);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  /** The tables whose changes are published: ordinary ones and leaves. */
  Set<TableId> tables(Connection connection) throws SQLException {
    return tables(
        connection,
        "SELECT schemaname, tablename FROM pg_catalog.pg_publication_tables WHERE pubname = ?");
  }

  /** The tables that the publication itself names, the roots of partitioned ones among them. */
  private Set<TableId> named(Connection connection) throws SQLException {
    return tables(
        connection,
        """
        SELECT n.nspname, c.relname
        FROM pg_catalog.pg_publication p
        JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
        JOIN pg_catalog.pg_class c ON c.oid = r.prrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE p.pubname = ?
        """);
  }

  private Set<TableId> tables(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name);
      Set<TableId> tables = new TreeSet<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          tables.add(new TableId(rows.getString(1), rows.getString(2)));
        }
      }
      return tables;
    }
  }

  private static String list(
      Collection<TableId> tables, Function<TableId, Optional<RowFilter>> filterOf) {
    return tables.stream()
        .map(table -> PublishedFilters.named(table, filterOf.apply(table)))
        .collect(Collectors.joining(", "));
  }
}
