package dev.sluice.connector.mariadb.capture.position;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.server.Flavour;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/*
 * A file and an offset do not say of which log they are. A restored server, a server after RESET
 * MASTER, or another server may have the same file with an event at the same offset. Then the time
 * at which the file was begun differs, or the transaction that ends there.
 *
 * The server returns the state of all domains at a place; the log has only the transaction that
 * ends there. So a mark is computed from either, and a place has the mark if the complete state or
 * one of its parts gives it.
 */
/**
 * What the binary log has at a place, by which the place can be recognized. Immutable.
 *
 * @param base the name of the log's files without their number
 * @param begun when the place's file was begun, seconds since 1970
 * @param gtid the GTID of the last transaction up to there; of several domains one for each, with
 *     commas between, if it is not known which was the last; empty if there was none
 */
public record LogHistory(String base, long begun, String gtid) {
  private static final String STATE = "SELECT BINLOG_GTID_POS(?, ?)";

  /** Domains have no order in what the server returns. */
  public LogHistory {
    gtid = Stream.of(gtid.split(",")).sorted().collect(Collectors.joining(","));
  }

  /**
   * Asks the server for the history at a place.
   *
   * @param session of the caller
   * @param reader reads the log
   * @return empty if its log has no such place
   */
  public static Optional<LogHistory> read(
      Connection session, LogBeginnings reader, String base, BinlogPosition place)
      throws SQLException {
    String file = place.fileName(base);
    if (Flavour.of(session) == Flavour.MYSQL) {
      return new PlaceSearch(session, reader, base).find(place);
    }
    try (PreparedStatement statement = session.prepareStatement(STATE)) {
      statement.setString(1, file);
      statement.setLong(2, Math.max(place.offset(), BinlogPosition.FIRST_EVENT));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        String state = row.getString(1);
        return state == null
            ? Optional.empty()
            : Optional.of(new LogHistory(base, reader.secondsOf(file), state));
      }
    }
  }

  /** The history in the next file. */
  public LogHistory inFile(long fileBegun) {
    return fileBegun == begun ? this : new LogHistory(base, fileBegun, gtid);
  }

  /**
   * The history after the next transaction.
   *
   * @param transaction its GTID, or whatever else identifies it
   */
  public LogHistory after(String transaction) {
    return new LogHistory(base, begun, transaction);
  }

  /**
   * The history at the beginning of the next file, without the last transaction of the file before:
   * MySQL does not return which one that was.
   */
  public LogHistory withoutTransaction() {
    return new LogHistory(base, begun, "");
  }

  /** The mark of a position here. */
  public long mark() {
    return markWith(gtid);
  }

  private long markWith(String gtids) {
    return crc("%s %d %s".formatted(base, begun, gtids));
  }

  /** The mark for a position of which only the file's name is known. */
  static long markOf(String base) {
    return crc(base);
  }

  private static long crc(String text) {
    CRC32 sum = new CRC32();
    sum.update(text.getBytes(StandardCharsets.UTF_8));
    return sum.getValue();
  }

  /** Whether a position of this place was taken in this history. */
  public boolean has(Position position) {
    long mark = BinlogPosition.markOf(position);
    return mark == mark()
        || Arrays.stream(gtid.split(",")).anyMatch(each -> mark == markWith(each));
  }

  /** For messages. */
  @Override
  public String toString() {
    return "%s, in a file begun at %s"
        .formatted(
            gtid.isEmpty() ? "no transaction" : "GTID " + gtid, Instant.ofEpochSecond(begun));
  }
}
