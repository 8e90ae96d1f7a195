package dev.sluice.connector.generic.database;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.config.PlaceText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * PostgreSQL: a place is an LSN in the log that a slot keeps which was made before the task. The
 * server leaves out what was committed before it.
 */
record PostgresStart(GenericConfig config) implements LogStart {

  /**
   * Rows of the catalog that are younger than the oldest that the slot keeps. TRUNCATE, and the
   * making of an index, make such rows as well. What the statistics count is changed in place.
   */
  private static final String YOUNGER =
      """
      WITH kept AS (SELECT age(catalog_xmin) AS years FROM pg_catalog.pg_replication_slots
        WHERE slot_name = ?)
      SELECT n.nspname, c.relname
      FROM kept, pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE age(c.xmin) <= years OR age(n.xmin) <= years
        OR EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a
          WHERE a.attrelid = c.oid AND a.attnum > 0 AND age(a.xmin) <= years)
        OR EXISTS (SELECT 1 FROM pg_catalog.pg_index i
          WHERE i.indrelid = c.oid AND (i.indisprimary OR i.indisreplident)
            AND age(i.xmin) <= years)
        OR EXISTS (SELECT 1 FROM pg_catalog.pg_publication_rel r
          JOIN pg_catalog.pg_publication p ON p.oid = r.prpubid
          WHERE r.prrelid = c.oid AND p.pubname = ? AND age(r.xmin) <= years)
      ORDER BY 1, 2
      """;

  private static final String PUBLICATION =
      """
      SELECT 1 FROM pg_catalog.pg_publication p, pg_catalog.pg_replication_slots s
      WHERE s.slot_name = ? AND p.pubname = ? AND age(p.xmin) <= age(s.catalog_xmin)
      """;

  private static final String END =
      """
      SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()
        ELSE pg_catalog.pg_current_wal_insert_lsn() END - '0/0'::pg_lsn
      """;

  /** Not known before PostgreSQL 15. */
  private static final String SCHEMAS =
      """
      SELECT 1 FROM pg_catalog.pg_publication p, pg_catalog.pg_replication_slots s,
        pg_catalog.pg_publication_namespace m
      WHERE s.slot_name = ? AND p.pubname = ? AND m.pnpubid = p.oid
        AND age(m.xmin) <= age(s.catalog_xmin)
      """;

  private static final int WITH_SCHEMAS = 15;

  @Override
  public Map<String, Object> named(Connection session, PlaceText place) throws SQLException {
    if (!(place instanceof PlaceText.Lsn at)) {
      throw LogStart.refused(
          place instanceof PlaceText.Offset
              ? "an offset of Debezium's PostgreSQL connector does not tell whether its transaction"
                  + " is complete"
              : "it is a place of MariaDB's binary log",
          "an LSN, such as 4AF/B00000D0",
          "Write the LSN up to which the target has all transactions");
    }
    String name = config.slot().orElseThrow();
    long kept = kept(session).confirmed();
    if (at.number() < kept) {
      throw LogStart.refused(
          "replication slot %s begins at %s, after %s"
              .formatted(name, PostgresSlot.lsn(kept), PostgresSlot.lsn(at.number())),
          "a position that the slot still has",
          "Name a slot that was made before. If there is none: "
              + LogStart.loadOr("Start at %s".formatted(PostgresSlot.lsn(kept))));
    }
    long end = Long.parseLong(JdbcServer.rows(session, END).get(0)[0]);
    if (at.number() > end) {
      throw LogStart.refused(
          "the log ends at %s, before %s"
              .formatted(PostgresSlot.lsn(end), PostgresSlot.lsn(at.number())),
          "a position that the log has",
          "Correct it: pg_current_wal_lsn() is the end of the log");
    }
    return Map.of("lsn", at.number());
  }

  @Override
  public void requireKept(Connection session) throws SQLException {
    if (kept(session).active()) {
      // The server may notice late that the task's own last reader is gone.
      throw new SluiceException.Retryable(
          ("replication slot %s is being read, by an earlier capture or somebody else. The task"
                  + " begins once nobody reads it")
              .formatted(config.slot().orElseThrow()),
          null);
    }
  }

  private PostgresSlot.Found kept(Connection session) throws SQLException {
    String name = config.slot().orElseThrow();
    Optional<PostgresSlot.Found> slot = PostgresSlot.find(session, name);
    if (slot.isEmpty() || !config.takeSlot()) {
      throw LogStart.refused(
          slot.isEmpty()
              ? "the source has no replication slot " + name
              : "replication slot " + name + " is not said to be this task's",
          "a slot that keeps the log from there on, and source.debezium.take-slot: true",
          "Make one before what is to be captured is written:"
              + " SELECT pg_create_logical_replication_slot('"
              + name
              + "', 'pgoutput')");
    }
    if (slot.get().lost()) {
      throw LogStart.refused(
          "the server has invalidated replication slot %s, and no longer keeps the log for it"
              .formatted(name),
          "a slot that keeps the log from there on",
          "Name another slot that was made before. If there is none, let the task load the tables:"
              + " migration-type: full-load-and-cdc");
    }
    return slot.get();
  }

  @Override
  public List<Problem> changedSince(
      Connection session, Map<String, Object> offset, Collection<TableId> tables)
      throws SQLException {
    List<Problem> problems = new ArrayList<>();
    try (PreparedStatement question = session.prepareStatement(YOUNGER)) {
      bind(question);
      try (ResultSet row = question.executeQuery()) {
        while (row.next()) {
          TableId table = new TableId(row.getString(1), row.getString(2));
          if (tables.contains(table)) {
            problems.add(
                problem(
                    "table " + table,
                    "its definition, or its place in the publication, may be younger than the"
                        + " slot"));
          }
        }
      }
    }
    boolean schemas = session.getMetaData().getDatabaseMajorVersion() >= WITH_SCHEMAS;
    if (has(session, PUBLICATION) || schemas && has(session, SCHEMAS)) {
      problems.add(
          problem(
              "publication " + config.properties().get("publication.name"),
              "it may be younger than the slot"));
    }
    return problems;
  }

  private boolean has(Connection session, String query) throws SQLException {
    try (PreparedStatement question = session.prepareStatement(query)) {
      bind(question);
      try (ResultSet row = question.executeQuery()) {
        return row.next();
      }
    }
  }

  private void bind(PreparedStatement question) throws SQLException {
    question.setString(1, config.slot().orElseThrow());
    question.setString(2, config.properties().get("publication.name"));
  }

  private Problem problem(String thing, String found) {
    return new Problem(
        thing,
        found + " " + config.slot().orElseThrow(),
        "definitions that were there when the slot was made, and when the oldest other slot of the"
            + " server was: Debezium would read what is before them by the present ones, or not at"
            + " all",
        LogStart.loadOr("Make another slot now, and start at its confirmed_flush_lsn,"));
  }

  @Override
  public String ownType() {
    return "postgresql";
  }

  @Override
  public String placeOf(Connection session, String found) {
    return found;
  }
}
