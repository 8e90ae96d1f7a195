package dev.sluice.connector.postgres.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.transformation.SelectionPattern;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the event triggers on the source know of a task: its publication and the tables that it
 * replicates. Immutable; each call is from the connection's thread.
 *
 * @param task its name
 * @param owner its id, which distinguishes it from others of its name
 */
record TaskRegistration(String task, String owner) {
  private static final String FOLLOWED =
      """
      SELECT n.nspname, c.relname
      FROM sluice_ddl.followed f JOIN pg_catalog.pg_class c ON c.oid = f.relation
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE f.task = ? AND f.until IS NULL
      """;

  private static final String FOLLOW =
      """
      INSERT INTO sluice_ddl.followed (task, relation)
      SELECT t.name, c.oid FROM sluice_ddl.task t, pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE t.name = ? AND n.nspname = ? AND c.relname = ? AND c.relkind IN ('r', 'p')
        AND NOT sluice_ddl.is_followed(t.name, c.oid)
      ON CONFLICT DO NOTHING
      """;

  /** Ends tables that an earlier start of the task replicated and this one does not. */
  private static final String FORGET =
      """
      DELETE FROM sluice_ddl.followed f WHERE f.task = ? AND (f.until IS NOT NULL
        OR NOT EXISTS (SELECT FROM pg_catalog.pg_class c
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          JOIN ROWS FROM (pg_catalog.unnest(?), pg_catalog.unnest(?)) AS followed (schema, name)
            ON n.nspname = followed.schema AND c.relname = followed.name
          WHERE c.oid = f.relation))
      """;

  /**
   * What the triggers do for the task.
   *
   * @param givesIdentity whether they set the replica identity of tables that they add
   * @param tables all tables that the task replicates
   */
  record Followed(
      String publication,
      boolean givesIdentity,
      List<SelectionPattern> selection,
      List<TableId> tables) {}

  /**
   * Registers the task, in a transaction of its own.
   *
   * @param takesNew whether new selected tables are replicated; if not, what an earlier start
   *     replicated and this one does not is ended
   * @throws SluiceException.Fatal if another task of this name is registered
   */
  void enter(Connection connection, Followed wanted, boolean takesNew) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert =
        connection.prepareStatement(
            """
            INSERT INTO sluice_ddl.task AS t (name, publication, gives_identity, selection,
              takes_new, owner)
            VALUES (?, ?, ?, ?::jsonb, ?, ?)
            ON CONFLICT (name) DO UPDATE SET publication = excluded.publication,
              gives_identity = excluded.gives_identity, selection = excluded.selection,
              takes_new = excluded.takes_new
              WHERE t.owner = excluded.owner
            """)) {
      insert.setString(1, task);
      insert.setString(2, wanted.publication());
      insert.setBoolean(3, wanted.givesIdentity());
      insert.setString(4, SelectionJson.write(wanted.selection()));
      insert.setBoolean(5, takesNew);
      insert.setString(6, owner);
      if (insert.executeUpdate() == 0) {
        throw new SluiceException.Fatal(anothers(connection).orElseThrow());
      }
    }
    if (!takesNew) {
      try (PreparedStatement delete = connection.prepareStatement(FORGET)) {
        delete.setString(1, task);
        delete.setArray(
            2,
            connection.createArrayOf(
                "text", wanted.tables().stream().map(TableId::schema).toArray()));
        delete.setArray(
            3,
            connection.createArrayOf(
                "text", wanted.tables().stream().map(TableId::name).toArray()));
        delete.execute();
      }
    }
    try (PreparedStatement insert = connection.prepareStatement(FOLLOW)) {
      for (TableId table : wanted.tables()) {
        insert.setString(1, task);
        insert.setString(2, table.schema());
        insert.setString(3, table.name());
        insert.addBatch();
      }
      insert.executeBatch();
    }
    connection.commit();
  }

  void takeNoNew(Connection connection) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE sluice_ddl.task SET takes_new = false WHERE name = ? AND owner = ?")) {
      update.setString(1, task);
      update.setString(2, owner);
      update.execute();
    }
  }

  /** Returns whether the task was registered. */
  boolean delete(Connection connection) throws SQLException {
    try (PreparedStatement delete =
        connection.prepareStatement("DELETE FROM sluice_ddl.task WHERE name = ? AND owner = ?")) {
      delete.setString(1, task);
      delete.setString(2, owner);
      return delete.executeUpdate() > 0;
    }
  }

  /** The problem that another task of the same name is registered. */
  Optional<Problem> anothers(Connection connection) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT publication FROM sluice_ddl.task WHERE name = ? AND owner <> ?")) {
      select.setString(1, task);
      select.setString(2, owner);
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? Optional.of(anothers(row.getString(1))) : Optional.empty();
      }
    }
  }

  private Problem anothers(String publication) {
    return new Problem(
        "event triggers on the source, task " + task,
        "another task of that name is registered there; it reads publication " + publication,
        "one task of each name for each database",
        "Change the name of this task: task. If the other one no longer exists, delete it by"
            + " hand: DELETE FROM sluice_ddl.task WHERE name = '"
            + task
            + "'");
  }

  /** The present names of the tables that the task replicates. */
  Set<TableId> followed(Connection connection) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(FOLLOWED)) {
      select.setString(1, task);
      Set<TableId> tables = new TreeSet<>();
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          tables.add(new TableId(rows.getString(1), rows.getString(2)));
        }
      }
      return tables;
    }
  }

  boolean isThere(Connection connection) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT 1 FROM sluice_ddl.task WHERE name = ?")) {
      select.setString(1, task);
      try (ResultSet rows = select.executeQuery()) {
        return rows.next();
      }
    }
  }
}
