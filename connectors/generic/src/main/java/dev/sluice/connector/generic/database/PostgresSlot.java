package dev.sluice.connector.generic.database;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.record.Bookmark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The replication slot that Debezium's PostgreSQL connector creates. Used by one thread. */
public final class PostgresSlot {
  private static final String INVALIDATED =
      "the server has invalidated it, and no longer keeps the log for it";

  private final JdbcServer server;
  private final String name;

  public PostgresSlot(JdbcServer server) {
    this(server, server.config().properties().get("slot.name"));
  }

  public PostgresSlot(JdbcServer server, String name) {
    this.server = server;
    this.name = name;
  }

  public String name() {
    return name;
  }

  /**
   * A slot as the server has it.
   *
   * @param database that it belongs to; null for a physical one
   * @param plugin null for a physical one
   * @param lost whether the server has invalidated it, so that its log and old rows of the catalog
   *     may be gone
   */
  public record Found(
      String database, String plugin, long confirmed, boolean active, boolean lost) {
    /** Debezium's offset at the beginning of the slot. */
    public Map<String, Object> offset() {
      return Map.of("lsn", confirmed);
    }

    /** For messages. */
    @Override
    public String toString() {
      return plugin == null
          ? "it is a physical slot"
          : "it is of plugin %s and database %s, so it is not this task's"
              .formatted(plugin, database);
    }
  }

  /** Whether Debezium could read it for this task. */
  public boolean isUsable(Found found) {
    return "pgoutput".equals(found.plugin())
        && server.config().endpoint().database().equals(found.database());
  }

  public Optional<Found> find() {
    return server.ask("read the replication slots", this::findOver);
  }

  /** The problem that the slot for the task is missing or unusable. */
  public Optional<Problem> notKeeping() {
    Optional<Found> found = find();
    if (found.filter(slot -> !slot.lost()).isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        new Problem(
            "replication slot " + name,
            found.isPresent() ? INVALIDATED : "the source does not have it",
            "the slot that was made for this task: source.debezium.take-slot: true",
            "Correct slot.name or source.url. A slot that is made now has nothing of what was"
                + " committed before. If that is needed, let the task load the tables:"
                + " migration-type: full-load-and-cdc, without take-slot. sluice stop --drop"
                + " removes a task that has begun"));
  }

  private Optional<Found> findOver(Connection session) throws SQLException {
    return find(session, name);
  }

  static Optional<Found> find(Connection session, String name) throws SQLException {
    List<String[]> rows =
        JdbcServer.rows(
            session,
            // wal_status is not known before PostgreSQL 13, the reason not before 17.
            "SELECT slot_name, database, plugin, coalesce(confirmed_flush_lsn, '0/0')"
                + " - '0/0'::pg_lsn, active, coalesce(pg_catalog.to_jsonb(s) ->> 'wal_status', '')"
                + " = 'lost' OR pg_catalog.to_jsonb(s) ->> 'invalidation_reason' IS NOT NULL OR"
                + " plugin IS NOT NULL AND catalog_xmin IS NULL FROM"
                + " pg_catalog.pg_replication_slots s");
    return rows.stream()
        .filter(row -> row[0].equals(name))
        .findFirst()
        .map(
            row ->
                new Found(
                    row[1],
                    row[2],
                    Long.parseLong(row[3]),
                    row[4].equals("t"),
                    row[5].equals("t")));
  }

  /**
   * Drops the slot, if it exists and could be the task's. The caller knows that the task has one
   * with that name. Uses only the claim's session: otherwise a daemon that was frozen, and whose
   * claim a later one has ended, would drop the later one's slot. Debezium would create the missing
   * slot again at the current end of the log, and earlier changes would be lost.
   *
   * @param claim the held claim
   * @return whether it existed
   * @throws SluiceException.Retryable if the claim is lost
   */
  public boolean drop(SlotClaim claim) {
    Optional<Found> found =
        claim.ask("read the replication slots", this::findOver).filter(this::isUsable);
    if (found.isEmpty()) {
      return false;
    }
    if (found.get().active()) {
      throw new SluiceException.Retryable(
          "replication slot %s is being read, by an earlier capture or somebody else"
              .formatted(name),
          null);
    }
    claim.ask(
        "drop replication slot " + name,
        connection -> {
          try (PreparedStatement drop =
              connection.prepareStatement("SELECT pg_catalog.pg_drop_replication_slot(?)")) {
            drop.setString(1, name);
            return drop.execute();
          }
        });
    return true;
  }

  /**
   * The problem that the source does not keep its log from a bookmark on. Debezium would report a
   * missing slot as well, but only after the start has accepted the server as the task's source.
   * From a slot that was advanced it continues silently.
   */
  public Optional<Problem> lost(Bookmark bookmark) {
    long has = furthest(bookmark.offset());
    Optional<Found> found = find();
    if (found.isEmpty()) {
      return Optional.of(
          problem(
              "the source does not have it",
              "the slot that keeps the log after the last transaction in the journal",
              "If source.url leads to the wrong server, correct it. Otherwise the log from there on is lost for the task."));
    }
    if (found.get().lost()) {
      return Optional.of(
          problem(
              INVALIDATED,
              "a slot whose log is complete",
              "The log from there on is lost to the task."));
    }
    return found
        .filter(slot -> slot.confirmed() > has)
        .map(
            slot ->
                problem(
                    "it was advanced to %s, and the journal has the changes up to %s"
                        .formatted(lsn(slot.confirmed()), lsn(has)),
                    "a slot that only this task's connector advances",
                    "The changes between are lost to the task."));
  }

  private Problem problem(String found, String expected, String loss) {
    return new Problem(
        "replication slot " + name,
        found,
        expected,
        loss
            + " The tables must be loaded again: sluice stop --drop removes the task, and the next"
            + " run loads them");
  }

  /** The last place of the log that an offset names. */
  static long furthest(Map<String, Object> offset) {
    return Stream.of("lsn", "lsn_proc", "lsn_commit")
        .map(offset::get)
        .filter(Number.class::isInstance)
        .mapToLong(value -> ((Number) value).longValue())
        .max()
        .orElse(0);
  }

  static String lsn(long number) {
    return Long.toHexString(number >>> 32).toUpperCase(java.util.Locale.ROOT)
        + "/"
        + Long.toHexString(number & 0xFFFF_FFFFL).toUpperCase(java.util.Locale.ROOT);
  }
}
