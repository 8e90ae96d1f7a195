package dev.sluice.connector.postgres.publication;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.OldRowLogging;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.postgres.server.LockAttempts;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the replica identity of tables, sets FULL, and restores the former one after a task that
 * needed FULL. As text it is {@code default}, {@code nothing}, or {@code index} and its name. Used
 * by one thread.
 */
public final class ReplicaIdentities implements OldRowLogging {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaIdentities.class);

  private static final String NO_SUCH_INDEX = "42704";
  private static final String NOT_ALLOWED = "42501";
  private static final String INDEX = "index ";

  private static final String OF_TABLE =
      """
      SELECT CASE c.relreplident WHEN 'f' THEN 'full' WHEN 'n' THEN 'nothing'
               WHEN 'i' THEN coalesce('index ' || (
                 SELECT x.relname FROM pg_catalog.pg_index i
                 JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
                 WHERE i.indrelid = c.oid AND i.indisreplident), 'default')
               ELSE 'default' END,
             EXISTS (SELECT FROM pg_catalog.pg_publication_tables p
               JOIN pg_catalog.pg_namespace pn ON pn.nspname = p.schemaname
               JOIN pg_catalog.pg_class pc ON pc.relnamespace = pn.oid AND pc.relname = p.tablename
               WHERE pc.oid = c.oid OR pc.oid IN (
                 SELECT relid FROM pg_catalog.pg_partition_ancestors(c.oid)))
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ? AND c.relname = ?
      """;

  private static final String BY_TRIGGERS =
      """
      SELECT n.nspname, c.relname, f.was
      FROM sluice_ddl.full_identity f JOIN pg_catalog.pg_class c ON c.oid = f.relation
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      """;

  private final SourceServer server;
  private final LockAttempts locks;
  private final boolean mayChange;

  /**
   * @param mayChange whether the task may set FULL
   */
  public ReplicaIdentities(SourceServer server, boolean mayChange) {
    this(server, new LockAttempts(server), mayChange);
  }

  ReplicaIdentities(SourceServer server, LockAttempts locks, boolean mayChange) {
    this.server = server;
    this.locks = locks;
    this.mayChange = mayChange;
  }

  @Override
  public String kind() {
    return "REPLICA IDENTITY FULL";
  }

  @Override
  public String whyLeft() {
    return "they are published";
  }

  @Override
  public boolean mayChange() {
    return mayChange;
  }

  /** The present replica identity of a table; empty if it was dropped. */
  private static Optional<String> of(Connection connection, TableId table) throws SQLException {
    return find(connection, table).map(Found::identity);
  }

  /**
   * Sets FULL on tables without a replica identity, and on those whose complete old rows are
   * needed.
   *
   * @param wholeRows tests the name of the root: whether complete old rows are needed
   * @param noted called with a table's replica identity before it is changed
   * @return the altered tables
   */
  List<TableId> giveFull(
      SourceCatalog catalog, Predicate<TableId> wholeRows, BiConsumer<TableId, String> noted) {
    List<TableId> without =
        catalog.published().stream()
            .filter(
                table ->
                    !table.identifiesOldRows()
                        || wholeRows.test(table.root()) && table.oldRow() != OldRow.ALL_COLUMNS)
            .map(CatalogTable::table)
            .toList();
    for (TableId table : without) {
      try (Connection connection = server.borrow();
          Statement statement = connection.createStatement()) {
        of(connection, table).ifPresent(has -> noted.accept(table, has));
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

  /** The former identity of tables that the event triggers set to FULL; none without the right. */
  @Override
  public Map<TableId, String> changedBySource() {
    try (Connection connection = server.borrow();
        Statement statement = connection.createStatement()) {
      Map<TableId, String> given = new TreeMap<>();
      try (ResultSet there =
          statement.executeQuery(
              "SELECT pg_catalog.to_regclass('sluice_ddl.full_identity') IS NULL")) {
        there.next();
        if (there.getBoolean(1)) {
          return given;
        }
      }
      try (ResultSet rows = statement.executeQuery(BY_TRIGGERS)) {
        while (rows.next()) {
          given.put(new TableId(rows.getString(1), rows.getString(2)), rows.getString(3));
        }
      }
      return given;
    } catch (SQLException e) {
      if (NOT_ALLOWED.equals(e.getSQLState())) {
        return Map.of();
      }
      throw SourceFailures.classify("reading the event triggers' replica identities", e);
    }
  }

  /**
   * Restores the identity of each table that still has FULL and is in no publication.
   *
   * @param before the former identities, as {@link #giveFull} noted them
   * @throws SluiceException if a table could not be altered
   */
  @Override
  public Outcome restore(Map<TableId, String> before) {
    List<TableId> back = new ArrayList<>();
    List<TableId> left = new ArrayList<>();
    for (Map.Entry<TableId, String> table : before.entrySet()) {
      try (Connection connection = server.borrow()) {
        Optional<Found> found = find(connection, table.getKey());
        if (found.isEmpty() || !found.get().identity().equals("full")) {
          continue;
        }
        if (found.get().published()) {
          LOG.info("table {} keeps REPLICA IDENTITY FULL: it is published", table.getKey());
          left.add(table.getKey());
        } else {
          restore(connection, table.getKey(), table.getValue());
          back.add(table.getKey());
        }
      } catch (SQLException e) {
        throw SourceFailures.classify(
            "restoring the replica identity of table " + table.getKey(), e);
      }
    }
    return new Outcome(back, left);
  }

  private void restore(Connection connection, TableId table, String before) throws SQLException {
    try {
      alter(connection, table, clause(before));
    } catch (SQLException e) {
      if (!NO_SUCH_INDEX.equals(e.getSQLState())) {
        throw e;
      }
      alter(connection, table, clause("default"));
    }
  }

  private void alter(Connection connection, TableId table, String identity) throws SQLException {
    String alter = "ALTER TABLE " + table.quoted() + " REPLICA IDENTITY " + identity;
    try (Statement statement = connection.createStatement()) {
      locks.run(alter, connection, () -> statement.execute(alter));
      LOG.info("table {}: REPLICA IDENTITY {} restored", table, identity);
    }
  }

  private static String clause(String before) {
    if (before.startsWith(INDEX)) {
      return "USING INDEX " + TableId.quote(before.substring(INDEX.length()));
    }
    return before.equals("nothing") ? "NOTHING" : "DEFAULT";
  }

  private record Found(String identity, boolean published) {}

  private static Optional<Found> find(Connection connection, TableId table) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(OF_TABLE)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(new Found(row.getString(1), row.getBoolean(2)))
            : Optional.empty();
      }
    }
  }
}
