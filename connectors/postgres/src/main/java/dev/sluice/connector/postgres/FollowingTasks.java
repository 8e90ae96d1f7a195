package dev.sluice.connector.postgres;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.FollowedTable;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/*
 * Three things show that a task replicates from a database: it is registered with the event triggers,
 * it created a publication, or it has a slot and reads a publication that the user created. The first
 * two remain when the slot is gone, and in a copy of the database: nothing in the database shows which
 * of two copies the applications use.
 */
/**
 * Finds the other tasks that replicate tables of a source database. Reads the database's catalog
 * and changes nothing. Each call is from one thread; no statement of it aborts the caller's
 * transaction. Immutable.
 *
 * @param mark of the calling task, which is not reported
 * @param slot of the calling task
 */
public record FollowingTasks(TaskMark mark, Optional<String> slot) {
  private static final String EVENT_TRIGGERS =
      """
      SELECT pg_catalog.count(*) = 3,
        pg_catalog.bool_and(pg_catalog.has_schema_privilege(n.oid, 'USAGE')
          AND pg_catalog.has_table_privilege(c.oid, 'SELECT'))
      FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid
      JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
      WHERE n.nspname = 'sluice_ddl' AND (c.relname, a.attname) IN
        (('task', 'owner'), ('followed', 'until'), ('home', 'known'))
      """;

  /** The given tables, their partitions and the tables that they are partitions of. */
  private static final String RELATED =
      """
      WITH wanted AS (
        SELECT w.table_schema, w.table_name, c.oid
        FROM ROWS FROM (pg_catalog.unnest(?::text[]), pg_catalog.unnest(?::text[]))
          AS w (table_schema, table_name)
        JOIN pg_catalog.pg_namespace n ON n.nspname = w.table_schema
        JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = w.table_name),
      related AS (
        SELECT * FROM wanted
        UNION SELECT w.table_schema, w.table_name, a.relid
          FROM wanted w, pg_catalog.pg_partition_ancestors(w.oid) a
        UNION SELECT w.table_schema, w.table_name, t.relid
          FROM wanted w, pg_catalog.pg_partition_tree(w.oid) t)
      """;

  /** False in a database that was restored from a dump of another one. */
  private static final String IS_HOME =
      """
      EXISTS (SELECT FROM sluice_ddl.home h JOIN pg_catalog.pg_database d ON d.oid = h.database
        JOIN pg_catalog.pg_class k ON k.oid = h.known AND k.relname = 'known'
        JOIN pg_catalog.pg_namespace kn ON kn.oid = k.relnamespace AND kn.nspname = 'sluice_ddl'
        WHERE d.datname = pg_catalog.current_database())
      """;

  private static final String REGISTERED =
      RELATED
          + """
          SELECT DISTINCT r.table_schema, r.table_name, t.name, t.owner, t.publication,
            pg_catalog.obj_description(p.oid, 'pg_publication')
          FROM related r JOIN sluice_ddl.followed f ON f.relation = r.oid AND f.until IS NULL
          JOIN sluice_ddl.task t ON t.name = f.task
          LEFT JOIN pg_catalog.pg_publication p ON p.pubname = t.publication
          WHERE t.owner <> ? AND\s"""
          + IS_HOME
          + "ORDER BY 1, 2, 3";

  private static final String PUBLISHED =
      RELATED
          + """
          SELECT DISTINCT r.table_schema, r.table_name, p.pubname,
            pg_catalog.obj_description(p.oid, 'pg_publication')
          FROM related r JOIN pg_catalog.pg_class c ON c.oid = r.oid
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          JOIN pg_catalog.pg_publication_tables s
            ON s.schemaname = n.nspname AND s.tablename = c.relname
          JOIN pg_catalog.pg_publication p ON p.pubname = s.pubname
          ORDER BY 1, 2, 3
          """;

  /** Slots that a task reads, recognized by the slot's name or by its reader's. */
  private static final String SLOTS =
      """
      SELECT s.slot_name FROM pg_catalog.pg_replication_slots s
      LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = s.active_pid
      WHERE s.plugin = 'pgoutput' AND s.database = pg_catalog.current_database()
        AND (s.slot_name ~ '^sluice_' OR a.application_name ~ '^sluice ')
      ORDER BY 1
      """;

  private static final String COMMENTS =
      "SELECT pg_catalog.obj_description(oid, 'pg_publication') FROM pg_catalog.pg_publication";

  /** The given tables that other tasks replicate, one entry for each table and task. */
  public List<FollowedTable> among(Connection connection, Collection<TableId> tables)
      throws SQLException {
    if (tables.isEmpty()) {
      return List.of();
    }
    Map<List<String>, FollowedTable> found = new LinkedHashMap<>();
    Set<String> usersOwn = new TreeSet<>();
    Optional<Boolean> readable = eventTriggers(connection);
    if (readable.isPresent() && !readable.get()) {
      tables.forEach(table -> add(found, unreadable(table)));
    } else if (readable.isPresent()) {
      registered(connection, tables, found, usersOwn);
    }
    published(connection, tables, found, usersOwn);
    return List.copyOf(found.values());
  }

  /** Whether this user may read the event triggers' tables; empty if there are none. */
  private static Optional<Boolean> eventTriggers(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(EVENT_TRIGGERS);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getBoolean(1) ? Optional.of(row.getBoolean(2)) : Optional.empty();
    }
  }

  private void registered(
      Connection connection,
      Collection<TableId> tables,
      Map<List<String>, FollowedTable> found,
      Set<String> publications)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(REGISTERED)) {
      set(statement, tables);
      statement.setString(3, mark.id().toString());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String publication = rows.getString(5);
          Optional<TaskMark.Maker> maker = TaskMark.makerIn(rows.getString(6));
          String takeOut =
              "DELETE FROM sluice_ddl.task WHERE name = " + SqlLiteral.of(rows.getString(3));
          add(
              found,
              new FollowedTable(
                  new TableId(rows.getString(1), rows.getString(2)),
                  maker.isPresent()
                      ? maker.get().words()
                      : "%s, id %s".formatted(rows.getString(3), rows.getString(4)),
                  maker.isPresent()
                      ? takeOut + "; " + removal(publication, maker.get())
                      : takeOut));
          publications.add(publication);
        }
      }
    }
  }

  private void published(
      Connection connection,
      Collection<TableId> tables,
      Map<List<String>, FollowedTable> found,
      Set<String> known)
      throws SQLException {
    List<String> slots = unexplainedSlots(connection);
    try (PreparedStatement statement = connection.prepareStatement(PUBLISHED)) {
      set(statement, tables);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          TableId table = new TableId(rows.getString(1), rows.getString(2));
          String publication = rows.getString(3);
          String comment = rows.getString(4);
          Optional<TaskMark.Maker> maker = TaskMark.makerIn(comment);
          if (maker.isPresent() && !mark.isIn(comment)) {
            add(
                found,
                new FollowedTable(table, maker.get().words(), removal(publication, maker.get())));
          } else if (maker.isEmpty() && !slots.isEmpty() && !known.contains(publication)) {
            add(
                found,
                new FollowedTable(
                    table,
                    "of Sluice that reads slot %s, for the table is in publication %s"
                        .formatted(String.join(" or ", slots), publication),
                    slots.size() == 1
                        ? dropSlot(slots.get(0))
                        : "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"
                            + " WHERE slot_name = 'the slot of that task'"));
          }
        }
      }
    }
  }

  /** Slots of tasks that have no publication of their own: they read one that the user created. */
  private List<String> unexplainedSlots(Connection connection) throws SQLException {
    List<String> slots = names(connection, SLOTS);
    for (String comment : names(connection, COMMENTS)) {
      TaskMark.makerIn(comment).ifPresent(maker -> slots.remove(maker.slot()));
    }
    slot.ifPresent(slots::remove);
    return slots;
  }

  private static List<String> names(Connection connection, String query) throws SQLException {
    List<String> names = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(query);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  private static void set(PreparedStatement statement, Collection<TableId> tables)
      throws SQLException {
    Connection connection = statement.getConnection();
    Array schemas =
        connection.createArrayOf("text", tables.stream().map(TableId::schema).toArray());
    Array names = connection.createArrayOf("text", tables.stream().map(TableId::name).toArray());
    statement.setArray(1, schemas);
    statement.setArray(2, names);
  }

  private static void add(Map<List<String>, FollowedTable> found, FollowedTable table) {
    found.putIfAbsent(List.of(table.table().toString(), table.task()), table);
  }

  private static FollowedTable unreadable(TableId table) {
    return new FollowedTable(
        table,
        "that this user may not read (schema sluice_ddl)",
        "GRANT USAGE ON SCHEMA sluice_ddl TO the target's user;"
            + " GRANT SELECT ON ALL TABLES IN SCHEMA sluice_ddl TO the target's user");
  }

  private static String removal(String publication, TaskMark.Maker maker) {
    return "DROP PUBLICATION %s; %s".formatted(TableId.quote(publication), dropSlot(maker.slot()));
  }

  /**
   * The statement succeeds also if there is no slot of that name. In a copy of a database on the
   * same server, the slot of that name is the original's and must stay.
   */
  private static String dropSlot(String slot) {
    return "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database ="
        + " current_database() AND slot_name = "
        + SqlLiteral.of(slot);
  }
}
