package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What depends on tables, by the server's catalog. Locks none of it. Stateless, threadsafe.
 *
 * @see <a href="https://www.postgresql.org/docs/current/catalog-pg-depend.html">pg_depend</a>
 */
final class Dependents {
  /** An object, and what depends on it in one of these ways, over however many others. */
  private static final String REACHED =
      """
      WITH RECURSIVE reached (class, id) AS (
        SELECT 'pg_class'::regclass::oid, to_regclass(name)::oid
          FROM unnest(?::text[]) AS given (name) WHERE to_regclass(name) IS NOT NULL
        UNION
        SELECT d.classid, d.objid FROM reached r
          JOIN pg_depend d ON d.refclassid = r.class AND d.refobjid = r.id
          WHERE d.deptype = ANY (?::text[]::"char"[]))
      """;

  /** A drop takes what depends on the table in no other way along, and locks it. */
  private static final String[] TAKEN_ALONG = {"a", "i", "P", "S"};

  private static final String[] ALL = {"a", "i", "P", "S", "n"};

  private static final String LOCKED = REACHED + "SELECT count(*) FROM reached";

  /** Of a constraint, a default, a trigger or a rule the table that has it. */
  private static final String TABLES =
      REACHED
          + """
          , owners (id) AS (
            SELECT id FROM reached WHERE class = 'pg_class'::regclass
            UNION SELECT conrelid FROM pg_constraint c
              JOIN reached r ON r.class = 'pg_constraint'::regclass AND r.id = c.oid
            UNION SELECT adrelid FROM pg_attrdef d
              JOIN reached r ON r.class = 'pg_attrdef'::regclass AND r.id = d.oid
            UNION SELECT tgrelid FROM pg_trigger t
              JOIN reached r ON r.class = 'pg_trigger'::regclass AND r.id = t.oid
            UNION SELECT ev_class FROM pg_rewrite w
              JOIN reached r ON r.class = 'pg_rewrite'::regclass AND r.id = w.oid
            UNION SELECT polrelid FROM pg_policy p
              JOIN reached r ON r.class = 'pg_policy'::regclass AND r.id = p.oid)
          SELECT place FROM unnest(?::text[]) WITH ORDINALITY AS among (name, place)
            WHERE to_regclass(name) IN (SELECT id FROM owners) ORDER BY place
          """;

  private Dependents() {}

  /**
   * How many objects the server locks when it drops tables: each with its indexes, types,
   * constraints and defaults.
   */
  static long locksOfDrop(TargetConnection connection, List<TableId> tables) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(LOCKED)) {
      statement.setArray(1, names(connection, tables));
      statement.setArray(2, connection.jdbc().createArrayOf("text", TAKEN_ALONG));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /**
   * Those of the tables that depend on some of them, and these that are there. What they do not
   * need may be among them.
   *
   * @param among in whose order they are returned
   */
  static List<TableId> among(TargetConnection connection, List<TableId> some, List<TableId> among)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(TABLES)) {
      statement.setArray(1, names(connection, some));
      statement.setArray(2, connection.jdbc().createArrayOf("text", ALL));
      statement.setArray(3, names(connection, among));
      List<TableId> found = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(among.get(row.getInt(1) - 1));
        }
      }
      return found;
    }
  }

  /** Their quoted names. */
  static Array names(TargetConnection connection, List<TableId> tables) throws SQLException {
    return connection.jdbc().createArrayOf("text", tables.stream().map(TableId::quoted).toArray());
  }
}
