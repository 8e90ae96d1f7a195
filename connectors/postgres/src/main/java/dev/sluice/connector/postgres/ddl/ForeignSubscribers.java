package dev.sluice.connector.postgres.ddl;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/*
 * A publication FOR ALL TABLES, or FOR TABLES IN the triggers' SCHEMA, also sends the triggers' tables. A
 * subscription of PostgreSQL stops at the first change of a table that its database does not have. The
 * catalog does not have the publications of a slot, so each pgoutput slot that is not the task's counts.
 */
/**
 * Finds other subscribers to which the tables of the event triggers would be sent. Immutable,
 * threadsafe.
 *
 * @param publication the task's own, which is ignored
 * @param slots the task's own, which are ignored
 */
public record ForeignSubscribers(String publication, List<String> slots) {
  private static final int FIRST_WITH_SCHEMAS = 15;

  /**
   * With {@code %s} for a further condition under which a publication includes the schema's tables.
   */
  private static final String TAKES_NEW =
      """
      SELECT pg_catalog.format('publication %%s is FOR %%s', p.pubname,
               CASE WHEN p.puballtables THEN 'ALL TABLES' ELSE 'TABLES IN SCHEMA sluice_ddl' END),
             s.slots
      FROM pg_catalog.pg_publication p
      CROSS JOIN (
        SELECT pg_catalog.string_agg(slot_name, ', ' ORDER BY slot_name) AS slots
        FROM pg_catalog.pg_replication_slots
        WHERE plugin = 'pgoutput' AND database = pg_catalog.current_database()
          AND slot_name <> ALL (?)) s
      WHERE (p.puballtables OR %s) AND p.pubname <> ? AND s.slots IS NOT NULL
        -- Where they are, they are sent already.
        AND pg_catalog.to_regclass('sluice_ddl.known') IS NULL
      ORDER BY p.pubname LIMIT 1
      """;

  private static final String IN_SCHEMA =
      """
      EXISTS (SELECT FROM pg_catalog.pg_publication_namespace i
        JOIN pg_catalog.pg_namespace n ON n.oid = i.pnnspid
        WHERE i.pnpubid = p.oid AND n.nspname = 'sluice_ddl')""";

  public ForeignSubscribers {
    slots = List.copyOf(slots);
  }

  /** The subscribers and the fix, as text; empty if there are none. */
  Optional<String> broken(Connection connection) throws SQLException {
    boolean bySchema = connection.getMetaData().getDatabaseMajorVersion() >= FIRST_WITH_SCHEMAS;
    String query = TAKES_NEW.formatted(bySchema ? IN_SCHEMA : "false");
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setArray(1, connection.createArrayOf("text", slots.toArray()));
      statement.setString(2, publication);
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(
                ("%s, and slots of others read this database: %s. A"
                        + " subscriber would be sent the triggers' tables, schema sluice_ddl, and"
                        + " stop at them. Where that cannot be, or they are made there first, set"
                        + " source.triggers-beside-subscriptions: true")
                    .formatted(row.getString(1), row.getString(2)))
            : Optional.empty();
      }
    }
  }
}
