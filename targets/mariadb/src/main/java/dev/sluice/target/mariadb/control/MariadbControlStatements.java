package dev.sluice.target.mariadb.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlStatements;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/*
 * ON DUPLICATE KEY acts on the row of any unique key. A control table has only one, so it is the
 * right row. Tables of users are never written in this way.
 */
/** Statements on control tables of MariaDB or MySQL. Stateless, threadsafe. */
public final class MariadbControlStatements implements ControlStatements {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ServerKind server;

  public MariadbControlStatements(ServerKind server) {
    this.server = server;
  }

  /**
   * Uses IGNORE, since the count of ON DUPLICATE KEY does not show whether the row was inserted or
   * already there.
   */
  @Override
  public PreparedStatement prepareInsertUnlessThere(
      Connection session, String table, List<String> columns) throws SQLException {
    return session.prepareStatement(
        "INSERT IGNORE INTO %s (%s) VALUES (%s)"
            .formatted(
                table,
                String.join(", ", columns),
                String.join(", ", ControlStatements.parameters(columns))));
  }

  @Override
  public PreparedStatement prepareUpsert(Connection session, Upsert upsert) throws SQLException {
    String table = upsert.table();
    return session.prepareStatement(
        "INSERT INTO %s (%s) VALUES (%s) ON DUPLICATE KEY UPDATE %s"
            .formatted(
                table,
                String.join(", ", upsert.columns()),
                String.join(", ", upsert.values()),
                upsert.assignments().stream()
                    .map(each -> each.column() + " = " + value(table, each))
                    .collect(Collectors.joining(", "))));
  }

  private static String value(String table, Assignment assignment) {
    if (assignment.sql() != null) {
      return assignment.sql();
    }
    String column = assignment.column();
    String added = "VALUES(" + column + ")";
    return assignment.kept() ? "COALESCE(%s, %s.%s)".formatted(added, table, column) : added;
  }

  @Override
  public long updateRows(Connection session, RowUpdate update, List<List<Object>> rows)
      throws SQLException {
    List<ControlColumn> found =
        update.onlyChanged()
            ? Stream.concat(update.key().stream(), update.set().stream()).toList()
            : update.key();
    String changed =
        update.onlyChanged() ? " AND NOT (" + each(update.set(), "%s <=> ?", " AND ") + ")" : "";
    String sql =
        "UPDATE %s SET %s%s WHERE %s%s"
            .formatted(
                update.table(),
                each(update.set(), "%s = ?, ", ""),
                update.also(),
                each(update.key(), "%s = ?", " AND "),
                changed);
    int keys = update.key().size();
    try (PreparedStatement statement = session.prepareStatement(sql)) {
      for (List<Object> row : rows) {
        int parameter = 1;
        for (Object value : row.subList(keys, row.size())) {
          statement.setObject(parameter++, value);
        }
        for (Object value : row.subList(0, found.size())) {
          statement.setObject(parameter++, value);
        }
        statement.addBatch();
      }
      long count = 0;
      for (long each : statement.executeLargeBatch()) {
        count += each;
      }
      return count;
    }
  }

  @Override
  public void addRows(Connection session, RowSums sums, List<List<Object>> rows)
      throws SQLException {
    List<String> names = new ArrayList<>(sums.computed().keySet());
    sums.ofRow().forEach(column -> names.add(column.name()));
    List<String> values = new ArrayList<>(sums.computed().values());
    values.addAll(Collections.nCopies(sums.ofRow().size(), "?"));
    String set =
        Stream.of(
                each(sums.replaced(), "%1$s = VALUES(%1$s)", ", "),
                each(
                    sums.greatest(),
                    "%1$s = COALESCE(GREATEST(TABLE.%1$s, VALUES(%1$s)), TABLE.%1$s, VALUES(%1$s))",
                    ", "),
                each(sums.added(), "%1$s = TABLE.%1$s + VALUES(%1$s)", ", "))
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining(", "))
            .replace("TABLE.", sums.table() + ".");
    String sql =
        "INSERT INTO %s (%s) VALUES (%s) ON DUPLICATE KEY UPDATE %s"
            .formatted(sums.table(), String.join(", ", names), String.join(", ", values), set);
    try (PreparedStatement statement = session.prepareStatement(sql)) {
      for (List<Object> row : rows) {
        for (int i = 0; i < row.size(); i++) {
          statement.setObject(i + 1, row.get(i));
        }
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  @Override
  public String timeslot(int minutes) {
    String epoch = "TIMESTAMP '2000-01-01 00:00:00'";
    return "TIMESTAMPADD(MINUTE, %1$d * (TIMESTAMPDIFF(MINUTE, %2$s, CURRENT_TIMESTAMP) DIV %1$d), %2$s)"
        .formatted(minutes, epoch);
  }

  /** There is no query for it. Only the preparation of a way back needs it. */
  @Override
  public String endOfLog() {
    throw TargetLimit.FALLBACKS.refusal(server.type(), server.label());
  }

  /** JSON is stored as text. */
  @Override
  public String textOfJson(String column) {
    return column;
  }

  @Override
  public String byBytes(String column) {
    return column + " COLLATE " + server.binaryCollation();
  }

  @Override
  public String forShare() {
    return " LOCK IN SHARE MODE";
  }

  @Override
  public void setTexts(PreparedStatement statement, int parameter, Collection<String> texts)
      throws SQLException {
    try {
      statement.setString(parameter, JSON.writeValueAsString(texts));
    } catch (JsonProcessingException e) {
      throw new SQLException("a list of texts cannot be written as JSON", "22032", e);
    }
  }

  @Override
  public List<String> texts(ResultSet row, int column) throws SQLException {
    try {
      return JSON.readValue(row.getString(column), new TypeReference<List<String>>() {});
    } catch (JsonProcessingException e) {
      throw new SQLException("a list of texts is not JSON", "22032", e);
    }
  }

  private static String each(List<ControlColumn> columns, String format, String between) {
    return columns.stream()
        .map(column -> format.formatted(column.name()))
        .collect(Collectors.joining(between));
  }
}
