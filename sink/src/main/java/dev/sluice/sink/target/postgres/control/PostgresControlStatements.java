package dev.sluice.sink.target.postgres.control;

import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlStatements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Statements on control tables of PostgreSQL. Stateless, threadsafe. */
public final class PostgresControlStatements implements ControlStatements {

  @Override
  public PreparedStatement prepareInsertUnlessThere(
      Connection session, String table, List<String> columns) throws SQLException {
    return session.prepareStatement(
        insert(table, columns, ControlStatements.parameters(columns)) + " ON CONFLICT DO NOTHING");
  }

  @Override
  public PreparedStatement prepareUpsert(Connection session, Upsert upsert) throws SQLException {
    return session.prepareStatement(
        insert(upsert.table(), upsert.columns(), upsert.values())
            + upsert.assignments().stream()
                .map(each -> each.column() + " = " + value(each))
                .collect(
                    Collectors.joining(
                        ", ",
                        " ON CONFLICT (" + String.join(", ", upsert.key()) + ") DO UPDATE SET ",
                        "")));
  }

  private static String insert(String table, List<String> columns, List<String> values) {
    return insert(table, columns, "VALUES (" + String.join(", ", values) + ")");
  }

  private static String insert(String table, List<String> columns, String rows) {
    return "INSERT INTO %s AS known (%s) %s".formatted(table, String.join(", ", columns), rows);
  }

  private static String value(Assignment assignment) {
    if (assignment.sql() != null) {
      return assignment.sql();
    }
    String added = "excluded." + assignment.column();
    return assignment.kept()
        ? "coalesce(%s, known.%s)".formatted(added, assignment.column())
        : added;
  }

  @Override
  public String endOfLog() {
    return "SELECT pg_catalog.pg_current_wal_insert_lsn()::text";
  }

  @Override
  public long updateRows(Connection session, RowUpdate update, List<List<Object>> rows)
      throws SQLException {
    List<ControlColumn> given =
        Stream.concat(update.key().stream(), update.set().stream()).toList();
    try (PreparedStatement statement = session.prepareStatement(sql(update, given))) {
      setArrays(session, statement, given, rows);
      return statement.executeLargeUpdate();
    }
  }

  /** Sets one array for each column. */
  private static void setArrays(
      Connection session,
      PreparedStatement statement,
      List<ControlColumn> columns,
      List<List<Object>> rows)
      throws SQLException {
    for (int i = 0; i < columns.size(); i++) {
      int column = i;
      statement.setArray(
          i + 1,
          session.createArrayOf(
              PostgresControlDefinitions.type(columns.get(i).type()),
              rows.stream().map(row -> row.get(column)).toArray()));
    }
  }

  private static String sql(RowUpdate update, List<ControlColumn> given) {
    String set = each(update.set(), "%1$s = given.%1$s, ", "");
    String changed =
        update.onlyChanged()
            ? " AND (" + each(update.set(), "known.%1$s IS DISTINCT FROM given.%1$s", " OR ") + ")"
            : "";
    return "UPDATE %s AS known SET %s%s FROM unnest(%s) AS given (%s) WHERE %s%s"
        .formatted(
            update.table(),
            set,
            update.also(),
            arrays(given),
            each(given, "%1$s", ", "),
            each(update.key(), "known.%1$s = given.%1$s", " AND "),
            changed);
  }

  private static String arrays(List<ControlColumn> columns) {
    return columns.stream()
        .map(column -> "?::" + PostgresControlDefinitions.type(column.type()) + "[]")
        .collect(Collectors.joining(", "));
  }

  @Override
  public void addRows(Connection session, RowSums sums, List<List<Object>> rows)
      throws SQLException {
    List<ControlColumn> given = sums.ofRow();
    List<String> names = new ArrayList<>(sums.computed().keySet());
    List<String> values = new ArrayList<>(sums.computed().values());
    given.forEach(column -> names.add(column.name()));
    given.forEach(column -> values.add("given." + column.name()));
    String set =
        Stream.of(
                each(sums.replaced(), "%1$s = excluded.%1$s", ", "),
                each(sums.greatest(), "%1$s = greatest(known.%1$s, excluded.%1$s)", ", "),
                each(sums.added(), "%1$s = known.%1$s + excluded.%1$s", ", "))
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining(", "));
    String query =
        "SELECT %s FROM unnest(%s) AS given (%s)"
            .formatted(String.join(", ", values), arrays(given), each(given, "%1$s", ", "));
    String sql =
        "%s ON CONFLICT (%s) DO UPDATE SET %s"
            .formatted(insert(sums.table(), names, query), String.join(", ", sums.key()), set);
    try (PreparedStatement statement = session.prepareStatement(sql)) {
      setArrays(session, statement, given, rows);
      statement.executeUpdate();
    }
  }

  @Override
  public String timeslot(int minutes) {
    return "date_bin(make_interval(mins => %d), now(), timestamptz '2000-01-01 00:00:00+00')"
        .formatted(minutes);
  }

  private static String each(List<ControlColumn> columns, String format, String between) {
    return columns.stream()
        .map(column -> format.formatted(column.name()))
        .collect(Collectors.joining(between));
  }

  @Override
  public String textOfJson(String column) {
    return "CAST(" + column + " AS text)";
  }

  @Override
  public String byBytes(String column) {
    return column + " COLLATE \"C\"";
  }

  @Override
  public String forShare() {
    return " FOR SHARE";
  }

  @Override
  public void setTexts(PreparedStatement statement, int parameter, Collection<String> texts)
      throws SQLException {
    statement.setArray(parameter, statement.getConnection().createArrayOf("text", texts.toArray()));
  }

  @Override
  public List<String> texts(ResultSet row, int column) throws SQLException {
    return List.of((String[]) row.getArray(column).getArray());
  }
}
