package dev.sluice.connector.postgres.activity;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.inventory.SchemaObject;
import dev.sluice.connector.api.source.SourceActivity;
import dev.sluice.connector.api.source.TableLockHolder;
import dev.sluice.connector.api.source.TableWork;
import dev.sluice.connector.comparison.SchemaObjects;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the catalogs and the statistics views of PostgreSQL. Threadsafe. */
public final class PostgresActivity implements SourceActivity {

  /** The largest catalogs take a second. */
  private static final Duration STATEMENT = Duration.ofSeconds(20);

  /** Nothing here needs a lock of a table; a catalog that is rewritten is not worth a wait. */
  private static final Duration LOCK = Duration.ofMillis(200);

  /** The tables of two arrays with their partitions and other children. */
  private static final String TREE =
      """
      WITH RECURSIVE tree (oid) AS (
        SELECT c.oid
        FROM unnest(?::text[], ?::text[]) AS wanted (schema_name, table_name)
        JOIN pg_catalog.pg_namespace n ON n.nspname = wanted.schema_name
        JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.table_name
        UNION
        SELECT i.inhrelid FROM tree JOIN pg_catalog.pg_inherits i ON i.inhparent = tree.oid),
      lock AS (
        SELECT l.pid, l.virtualtransaction, l.mode, n.nspname, c.relname
        FROM pg_catalog.pg_locks l JOIN tree ON tree.oid = l.relation
        JOIN pg_catalog.pg_class c ON c.oid = l.relation
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_catalog.pg_database d
          ON d.oid = l.database AND d.datname = pg_catalog.current_database()
        WHERE l.locktype = 'relation' AND l.mode <> 'AccessShareLock')
      """;

  /**
   * A prepared transaction has no process: the virtual transaction that holds its locks also holds
   * the lock of its id. Processes of the server itself have no user.
   */
  private static final String HOLDERS =
      TREE
          + """
          SELECT CASE WHEN l.pid IS NOT NULL THEN 'process ' || l.pid
              ELSE 'prepared transaction ' || coalesce(pg_catalog.quote_literal(p.gid),
                '(of an unknown name)') END,
            l.pid IS NULL, coalesce(a.xact_start, p.prepared),
            coalesce(a.usename, p.owner), nullif(a.application_name, ''),
            l.nspname, l.relname, pg_catalog.array_agg(DISTINCT l.mode ORDER BY l.mode),
            l.virtualtransaction
          FROM lock l
          LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
          LEFT JOIN pg_catalog.pg_locks x ON l.pid IS NULL AND x.locktype = 'transactionid'
            AND x.virtualtransaction = l.virtualtransaction
          LEFT JOIN pg_catalog.pg_prepared_xacts p ON p.transaction = x.transactionid
          WHERE l.pid IS NULL OR l.pid <> pg_catalog.pg_backend_pid() AND a.usesysid IS NOT NULL
            AND a.application_name
              IS DISTINCT FROM pg_catalog.current_setting('application_name')
          GROUP BY l.pid, p.gid, a.xact_start, p.prepared, a.usename, p.owner, a.application_name,
            l.nspname, l.relname, l.virtualtransaction
          ORDER BY 3 NULLS LAST, 1, 6, 7
          """;

  /**
   * The views of progress show each process to everybody, but not its table, so the table is that
   * of its lock. The query of another role is hidden, and with it why a table is vacuumed.
   */
  private static final String WORK =
      TREE
          + """
          SELECT CASE WHEN a.query LIKE '%(to prevent wraparound)%' THEN 'WRAPAROUND_VACUUM'
              ELSE 'VACUUM_OF_UNKNOWN_REASON' END,
            l.pid, a.usename, l.nspname, l.relname
          FROM lock l JOIN pg_catalog.pg_stat_progress_vacuum v ON v.pid = l.pid
          LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
          WHERE a.usesysid IS NULL AND l.mode = 'ShareUpdateExclusiveLock'
            AND (coalesce(a.query, '') IN ('', '<insufficient privilege>')
              OR a.query LIKE '%(to prevent wraparound)%')
          UNION
          SELECT 'INDEX_BUILD', l.pid, a.usename, l.nspname, l.relname
          FROM lock l JOIN pg_catalog.pg_stat_progress_create_index i ON i.pid = l.pid
          LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
          WHERE l.mode IN ('ShareLock', 'ShareUpdateExclusiveLock')
          ORDER BY 4, 5, 2
          """;

  private static final String NOT_LOCKABLE =
      """
      SELECT n.nspname, c.relname
      FROM unnest(?::text[], ?::text[]) AS wanted (schema_name, table_name)
      JOIN pg_catalog.pg_namespace n ON n.nspname = wanted.schema_name
      JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.table_name
      WHERE NOT pg_catalog.has_schema_privilege(n.oid, 'USAGE')
        OR NOT pg_catalog.has_table_privilege(c.oid,
          CASE WHEN pg_catalog.current_setting('server_version_num')::int >= 170000
            THEN 'UPDATE, DELETE, TRUNCATE, MAINTAIN' ELSE 'UPDATE, DELETE, TRUNCATE' END)
      ORDER BY 1, 2
      """;

  private final SourceServer server;

  public PostgresActivity(SourceServer server) {
    this.server = server;
  }

  @Override
  public List<TableLockHolder> lockHolders(Collection<TableId> tables) {
    return read("listing the locks on the source's tables", HOLDERS, tables, this::holder);
  }

  @Override
  public List<TableWork> work(Collection<TableId> tables) {
    return read("listing the source's work on its tables", WORK, tables, this::work);
  }

  @Override
  public List<TableId> notLockable(Collection<TableId> tables) {
    return read(
        "reading the rights on the source's tables",
        NOT_LOCKABLE,
        tables,
        row -> new TableId(row.getString(1), row.getString(2)));
  }

  @Override
  public List<String> timeoutsBelow(Duration limit) {
    return new SetTimeouts(server).below(limit);
  }

  @Override
  public Set<SchemaObject> objects(Collection<String> schemas) {
    try (Connection connection = server.borrow()) {
      bound(connection);
      return SchemaObjects.read(connection, schemas, false);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the objects of the source's schemas", e);
    }
  }

  private interface Row<T> {
    T of(ResultSet row) throws SQLException;
  }

  private <T> List<T> read(
      String attempted, String query, Collection<TableId> tables, Row<T> reading) {
    try (Connection connection = server.borrow()) {
      bound(connection);
      try (PreparedStatement statement = connection.prepareStatement(query)) {
        statement.setArray(
            1, connection.createArrayOf("text", tables.stream().map(TableId::schema).toArray()));
        statement.setArray(
            2, connection.createArrayOf("text", tables.stream().map(TableId::name).toArray()));
        List<T> found = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
          while (rows.next()) {
            found.add(reading.of(rows));
          }
        }
        return found;
      }
    } catch (SQLException e) {
      throw SourceFailures.classify(attempted, e);
    }
  }

  /** Each statement is a transaction of its own, so that none stays open between two. */
  private static void bound(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET default_transaction_read_only = on");
      statement.execute("SET statement_timeout = " + STATEMENT.toMillis());
      statement.execute("SET lock_timeout = " + LOCK.toMillis());
    }
  }

  private TableLockHolder holder(ResultSet row) throws SQLException {
    return new TableLockHolder(
        row.getString(1),
        row.getString(9),
        row.getBoolean(2),
        instant(row.getTimestamp(3)),
        Optional.ofNullable(row.getString(4)),
        Optional.ofNullable(row.getString(5)),
        new TableId(row.getString(6), row.getString(7)),
        List.of((String[]) row.getArray(8).getArray()));
  }

  private TableWork work(ResultSet row) throws SQLException {
    return new TableWork(
        TableWork.Kind.valueOf(row.getString(1)),
        row.getLong(2),
        Optional.ofNullable(row.getString(3)),
        new TableId(row.getString(4), row.getString(5)));
  }

  private static Optional<Instant> instant(Timestamp time) {
    return Optional.ofNullable(time).map(Timestamp::toInstant);
  }
}
