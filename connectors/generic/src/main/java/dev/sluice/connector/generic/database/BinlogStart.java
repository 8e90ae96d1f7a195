package dev.sluice.connector.generic.database;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.generic.catalog.JdbcServer;
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
import java.util.Set;

/**
 * MariaDB: a place is a file of the binary log and an offset between two transactions, with the
 * GTIDs before it, by which Debezium asks the server.
 */
record BinlogStart() implements LogStart {
  private static final String FORM =
      "a place between two transactions, as SHOW MASTER STATUS has it: FILE:OFFSET";

  /** Of an offset of Debezium's between two transactions. */
  private static final Set<String> FIELDS =
      Set.of("file", "pos", "gtids", "ts_sec", "server_id", "event", "row");

  /** The events that are in no transaction, and the first one of each. */
  private static final Set<String> BETWEEN =
      Set.of(
          "Gtid",
          "Gtid_list",
          "Binlog_checkpoint",
          "Format_desc",
          "Start_encryption",
          "Rotate",
          "Stop");

  /** ER_ERROR_WHEN_EXECUTING_COMMAND. */
  private static final int NO_SUCH_EVENT = 1220;

  private static final long FIRST_EVENT = 4;
  private static final int STREAMED = 1_000;

  @Override
  public Map<String, Object> named(Connection session, PlaceText place) throws SQLException {
    if (place instanceof PlaceText.InFile at) {
      return offset(session, at.file(), at.offset());
    }
    if (!(place instanceof PlaceText.Offset given)) {
      throw LogStart.refused("it is an LSN, of PostgreSQL", FORM, "Write it in that form");
    }
    Map<String, Object> fields = given.fields();
    boolean between =
        isNothing(fields.get("event"))
            && isNothing(fields.get("row"))
            && FIELDS.containsAll(fields.keySet());
    if (!(fields.get("file") instanceof String file)
        || !(fields.get("pos") instanceof Long offset)
        || !between) {
      throw LogStart.refused(
          "the offset names a place inside of a transaction or a snapshot, or none: it has "
              + fields.keySet().stream().sorted().toList(),
          "an offset with file and pos, and with event and row 0 if it has them",
          "Write the end of that transaction, as SHOW BINLOG EVENTS has it: FILE:OFFSET");
    }
    Map<String, Object> found = offset(session, file, offset);
    if (fields.containsKey("gtids")
        && !BinlogPlace.set(String.valueOf(fields.get("gtids")))
            .equals(BinlogPlace.set(String.valueOf(found.get("gtids"))))) {
      throw LogStart.refused(
          "the offset has the GTIDs %s, and the log of this server has %s before %s:%d"
              .formatted(fields.get("gtids"), found.get("gtids"), file, offset),
          "an offset of this server",
          "Let source.url lead to the server of the offset, or write FILE:OFFSET of this one");
    }
    return found;
  }

  private static boolean isNothing(Object number) {
    return number == null || number.equals(0L);
  }

  private static Map<String, Object> offset(Connection session, String file, long offset)
      throws SQLException {
    List<String> files = files(session);
    if (!files.contains(file)) {
      throw LogStart.refused(
          "the binary log has no file %s, it has %s"
              .formatted(
                  file,
                  files.isEmpty() ? "none" : files.get(0) + " to " + files.get(files.size() - 1)),
          "a file that is there",
          LogStart.loadOr("Name a later place"));
    }
    String next = eventAt(session, file, offset);
    Optional<BinlogPlace> before = BinlogPlace.at(session, file, offset);
    if (before.isEmpty() || !isBetween(next)) {
      throw LogStart.refused(
          "%s:%d is %s".formatted(file, offset, next.isEmpty() ? "no place of the log" : next),
          FORM,
          "Write the end of a transaction: SHOW BINLOG EVENTS lists them as End_log_pos");
    }
    if (before.get().transactions().isBlank()) {
      throw LogStart.refused(
          "no transaction with a GTID is before %s:%d".formatted(file, offset),
          "a place after the first transaction of the log",
          "Write the end of the first transaction that the target has");
    }
    return Map.of("file", file, "pos", offset, "gtids", before.get().transactions());
  }

  /** Behind a transaction comes another one, what the server notes, or the end of the log. */
  private static boolean isBetween(String next) {
    return next.isEmpty() || BETWEEN.contains(next);
  }

  /** The type of the event that begins there; empty at the end of the log. */
  private static String eventAt(Connection session, String file, long offset) throws SQLException {
    try (PreparedStatement question =
        session.prepareStatement("SHOW BINLOG EVENTS IN ? FROM ? LIMIT 1")) {
      question.setString(1, file);
      question.setLong(2, offset);
      try (ResultSet event = question.executeQuery()) {
        return event.next() ? event.getString("Event_type") : "";
      }
    } catch (SQLException e) {
      if (e.getErrorCode() == NO_SUCH_EVENT) {
        return "inside of an event";
      }
      throw e;
    }
  }

  private static List<String> files(Connection session) throws SQLException {
    return JdbcServer.rows(session, "SHOW BINARY LOGS").stream().map(row -> row[0]).toList();
  }

  @Override
  public List<Problem> changedSince(
      Connection session, Map<String, Object> offset, Collection<TableId> tables)
      throws SQLException {
    LoggedNames names = new LoggedNames(tables);
    List<Problem> problems = new ArrayList<>();
    List<String> files = files(session);
    String first = String.valueOf(offset.get("file"));
    for (String file : files.subList(Math.max(0, files.indexOf(first)), files.size())) {
      long from = file.equals(first) ? ((Number) offset.get("pos")).longValue() : FIRST_EVENT;
      try (PreparedStatement question =
          session.prepareStatement("SHOW BINLOG EVENTS IN ? FROM ?")) {
        question.setFetchSize(STREAMED);
        question.setString(1, file);
        question.setLong(2, from);
        try (ResultSet event = question.executeQuery()) {
          while (event.next()) {
            if (event.getString("Event_type").startsWith("Query")) {
              names
                  .problem(event.getString("Info"), file, event.getLong("Pos"))
                  .ifPresent(problems::add);
            }
          }
        }
      }
    }
    return problems;
  }

  @Override
  public String ownType() {
    return "mariadb";
  }

  /**
   * The name of the file.
   *
   * @param found its number, a colon, and the offset
   */
  @Override
  public String placeOf(Connection session, String found) throws SQLException {
    int colon = found.indexOf(':');
    String number = "." + found.substring(0, colon);
    return files(session).stream()
        .filter(file -> file.endsWith(number))
        .findFirst()
        .map(file -> file + found.substring(colon))
        .orElseThrow(
            () ->
                new SluiceException.Retryable(
                    "the binary log was removed up to " + found + " while it was read", null));
  }
}
