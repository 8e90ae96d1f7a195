package dev.sluice.target.db2.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlStatements;
import dev.sluice.target.db2.catalog.Db2Refusal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** Statements on control tables of Db2. Stateless, threadsafe. */
public final class Db2ControlStatements implements ControlStatements {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant FIRST_SLOT = Instant.parse("2000-01-01T00:00:00Z");
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  @Override
  public PreparedStatement prepareInsertUnlessThere(
      Connection session, String table, List<String> columns) throws SQLException {
    return new InsertUnlessThere(
        session,
        session.prepareStatement(insert(table, columns, ControlStatements.parameters(columns))));
  }

  @Override
  public PreparedStatement prepareUpsert(Connection session, Upsert upsert) throws SQLException {
    return UpsertStatement.prepare(session, upsert);
  }

  static String insert(String table, List<String> columns, List<String> values) {
    return "INSERT INTO %s (%s) VALUES (%s)"
        .formatted(table, String.join(", ", columns), String.join(", ", values));
  }

  /** One row after the other: there is no statement for several that both Db2 and Derby have. */
  @Override
  public long updateRows(Connection session, RowUpdate update, List<List<Object>> rows)
      throws SQLException {
    int keys = update.key().size();
    String where = each(update.key(), "%s = ?", " AND ");
    String read =
        "SELECT %s FROM %s WHERE %s FOR UPDATE"
            .formatted(
                update.onlyChanged() ? each(update.set(), "%s", ", ") : "1", update.table(), where);
    String write =
        "UPDATE %s SET %s%s WHERE %s"
            .formatted(update.table(), each(update.set(), "%s = ?, ", ""), update.also(), where);
    long written = 0;
    try (PreparedStatement reading = session.prepareStatement(read);
        PreparedStatement writing = session.prepareStatement(write)) {
      for (List<Object> row : rows) {
        List<Object> key = row.subList(0, keys);
        List<Object> set = row.subList(keys, row.size());
        if (update.onlyChanged() && has(reading, key, set)) {
          continue;
        }
        bind(writing, 1, set);
        bind(writing, 1 + set.size(), key);
        written += writing.executeUpdate();
      }
    }
    return written;
  }

  private static boolean has(PreparedStatement reading, List<Object> key, List<Object> values)
      throws SQLException {
    bind(reading, 1, key);
    try (ResultSet row = reading.executeQuery()) {
      if (!row.next()) {
        return false;
      }
      for (int i = 0; i < values.size(); i++) {
        if (!Objects.equals(row.getString(i + 1), Objects.toString(values.get(i), null))) {
          return false;
        }
      }
      return true;
    }
  }

  private static void bind(PreparedStatement statement, int first, List<Object> values)
      throws SQLException {
    int parameter = first;
    for (Object value : values) {
      statement.setObject(parameter++, value);
    }
  }

  /** Adds to the sums of existing rows, and inserts the others. */
  @Override
  public void addRows(Connection session, RowSums sums, List<List<Object>> rows)
      throws SQLException {
    List<ControlColumn> ofRow = sums.ofRow();
    List<String> columns = new ArrayList<>(sums.computed().keySet());
    List<String> values = new ArrayList<>(sums.computed().values());
    ofRow.forEach(column -> columns.add(column.name()));
    ofRow.forEach(column -> values.add("?"));
    List<Assignment> assignments = new ArrayList<>();
    sums.replaced().forEach(column -> assignments.add(Assignment.of(column.name())));
    Upsert upsert = new Upsert(sums.table(), columns, values, sums.key(), assignments);
    List<String> greatest = sums.greatest().stream().map(ControlColumn::name).toList();
    List<String> added = sums.added().stream().map(ControlColumn::name).toList();
    try (PreparedStatement statement = UpsertStatement.prepare(session, upsert, greatest, added)) {
      for (List<Object> row : rows) {
        bind(statement, 1, row);
        statement.executeUpdate();
      }
    }
  }

  /** By this machine's clock: Db2 and Derby have no common expression for times. */
  @Override
  public String timeslot(int minutes) {
    long slot = Duration.ofMinutes(minutes).toSeconds();
    long since = Duration.between(FIRST_SLOT, Instant.now()).toSeconds();
    LocalDateTime begin =
        LocalDateTime.ofInstant(
            FIRST_SLOT.plusSeconds(since - Math.floorMod(since, slot)), ZoneOffset.UTC);
    return "TIMESTAMP('" + SECONDS.format(begin) + "')";
  }

  @Override
  public String endOfLog() {
    throw Db2Refusal.of(TargetLimit.FALLBACKS);
  }

  @Override
  public String textOfJson(String column) {
    return column;
  }

  @Override
  public String firstRows(int rows) {
    return "FETCH FIRST %d ROWS ONLY".formatted(rows);
  }

  @Override
  public String byBytes(String column) {
    return column;
  }

  /**
   * Nothing to add: read stability keeps rows that were read unchanged until the transaction ends.
   */
  @Override
  public String forShare() {
    return " WITH RS";
  }

  /** In cursor stability a lock ends when the next row is read. */
  @Override
  public String unlocked() {
    return " WITH CS";
  }

  @Override
  public OptionalInt longestText() {
    return OptionalInt.of(Db2ControlDefinitions.LONGEST_TEXT);
  }

  @Override
  public void setTexts(PreparedStatement statement, int parameter, Collection<String> texts)
      throws SQLException {
    try {
      statement.setString(parameter, JSON.writeValueAsString(texts));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: texts have a form as JSON", e);
    }
  }

  @Override
  public List<String> texts(ResultSet row, int column) throws SQLException {
    try {
      return List.of(JSON.readValue(row.getString(column), String[].class));
    } catch (JsonProcessingException e) {
      throw new SQLException("a list of texts in a control table is no JSON", e);
    }
  }

  private static String each(List<ControlColumn> columns, String format, String between) {
    return columns.stream()
        .map(column -> format.formatted(column.name()))
        .collect(Collectors.joining(between));
  }
}
