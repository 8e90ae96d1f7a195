package dev.sluice.connector.postgres.publication;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.RetainedChanges;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the changes that the source's log retains for a slot without a reader, by table. Peeks at
 * the slot, so that nothing is consumed. Each call is from one thread.
 */
public final class PeekedChanges implements RetainedChanges {
  /**
   * Changes that one call counts at most: the server keeps what it peeks at in memory or on disk.
   */
  private static final int CHANGES_AT_ONCE = 10_000;

  private static final int ROWS_AT_ONCE = 1_000;

  /** Only the first bytes of a message: they have the relation's name or oid. */
  private static final String PEEK =
      """
      SELECT pg_catalog.substring(data, 1, 400)
      FROM pg_catalog.pg_logical_slot_peek_binary_changes(
        ?, ?::pg_catalog.pg_lsn, ?, 'proto_version', '1', 'publication_names', ?)
      """;

  /** Messages begin with their type, their flags and their position, big-endian. */
  private static final String SHOWS =
      """
      SELECT EXISTS (
        SELECT FROM pg_catalog.pg_logical_slot_peek_binary_changes(
          ?, pg_catalog.pg_current_wal_flush_lsn(), NULL, 'proto_version', '1',
          'publication_names', ?, 'messages', 'true')
        WHERE pg_catalog.get_byte(data, 0) = pg_catalog.ascii('M')
          AND pg_catalog.substring(data, 3, 8)
            = pg_catalog.int8send((?::pg_catalog.pg_lsn - '0/0'::pg_catalog.pg_lsn)::bigint))
      """;

  private final SourceServer server;
  private final String slot;
  private final String publication;

  public PeekedChanges(SourceServer server, String slot, String publication) {
    this.server = server;
    this.slot = slot;
    this.publication = publication;
  }

  /**
   * Counts the changes committed after a position.
   *
   * @throws dev.sluice.config.document.SluiceException if the slot does not exist, or is in use
   */
  @Override
  public Found after(Position position) {
    try (Connection connection = server.borrow()) {
      connection.setAutoCommit(false);
      Position end = flushed(connection);
      Counting counting = new Counting(position);
      long rows = 0;
      try (PreparedStatement statement = connection.prepareStatement(PEEK)) {
        statement.setFetchSize(ROWS_AT_ONCE);
        statement.setString(1, slot);
        statement.setString(2, end.toString());
        statement.setInt(3, CHANGES_AT_ONCE);
        statement.setString(4, TableId.quote(publication));
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            rows++;
            counting.take(ByteBuffer.wrap(row.getBytes(1)));
          }
        }
      }
      connection.rollback();
      // The server may send the transaction that ends right after the end, too.
      Position last = counting.last.max(position);
      return new Found(counting.changes, rows < CHANGES_AT_ONCE ? end.max(last) : last);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading what slot " + slot + " retains", e);
    }
  }

  @Override
  public boolean shows(Position fence) {
    try (Connection connection = server.borrow();
        PreparedStatement statement = connection.prepareStatement(SHOWS)) {
      statement.setString(1, slot);
      statement.setString(2, TableId.quote(publication));
      statement.setString(3, fence.toString());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    } catch (SQLException e) {
      throw SourceFailures.classify("reading what slot " + slot + " retains", e);
    }
  }

  /** Advances the slot: the source may remove its log up to the position. */
  @Override
  public void giveUp(Position upTo) {
    try (Connection connection = server.borrow();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT pg_catalog.pg_replication_slot_advance(slot_name, ?::pg_catalog.pg_lsn)"
                    + " FROM pg_catalog.pg_replication_slots"
                    + " WHERE slot_name = ? AND confirmed_flush_lsn < ?::pg_catalog.pg_lsn")) {
      statement.setString(1, upTo.toString());
      statement.setString(2, slot);
      statement.setString(3, upTo.toString());
      statement.execute();
    } catch (SQLException e) {
      throw SourceFailures.classify("advancing slot " + slot, e);
    }
  }

  private static Position flushed(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_catalog.pg_current_wal_flush_lsn()")) {
      row.next();
      return Position.parse(row.getString(1));
    }
  }

  /** Counts the messages of pgoutput's protocol version 1. */
  private static final class Counting {
    private final Position after;
    private final Map<Integer, TableId> names = new HashMap<>();
    private final Map<TableId, Long> changes = new TreeMap<>();
    private final Map<TableId, Long> open = new HashMap<>();
    private Position last = Position.ZERO;

    Counting(Position after) {
      this.after = after;
    }

    void take(ByteBuffer message) {
      switch (message.get()) {
        case 'B' -> open.clear();
        case 'R' -> names.put(message.getInt(), new TableId(text(message), text(message)));
        case 'I', 'U', 'D' -> count(message.getInt());
        case 'T' -> truncated(message);
        case 'C' -> committed(message);
        default -> {
          // Types, origins and messages change no row.
        }
      }
    }

    private void truncated(ByteBuffer message) {
      int tables = message.getInt();
      message.get();
      for (int i = 0; i < tables && message.remaining() >= Integer.BYTES; i++) {
        count(message.getInt());
      }
    }

    private void committed(ByteBuffer message) {
      message.get();
      message.getLong();
      last = new Position(message.getLong());
      if (last.isAfter(after)) {
        open.forEach((table, count) -> changes.merge(table, count, Long::sum));
      }
      open.clear();
    }

    private void count(int relation) {
      open.merge(names.getOrDefault(relation, new TableId("", "(unknown)")), 1L, Long::sum);
    }

    private static String text(ByteBuffer message) {
      int from = message.position();
      while (message.get() != 0) {
        // To the end of the name.
      }
      byte[] bytes = new byte[message.position() - 1 - from];
      message.get(from, bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }
}
