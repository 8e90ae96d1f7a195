package dev.sluice.target.db2.control;

import dev.sluice.sink.target.control.ControlStatements.Assignment;
import dev.sluice.sink.target.control.ControlStatements.Upsert;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/*
 * An UPDATE, and an INSERT if it found no row. If another transaction inserts the row between the
 * two, the INSERT waits for it and fails, and the UPDATE is repeated. MERGE is not used, since it
 * cannot be tested on Derby.
 */
/** Inserts a row, or updates the one with its key. Used by the session's thread. */
final class UpsertStatement extends InsertUnlessThere {
  /** Sets a parameter to a value. */
  private interface Value {
    void setOn(PreparedStatement statement, int parameter) throws SQLException;
  }

  private final PreparedStatement update;

  /** For each parameter of the UPDATE, the number of the INSERT's parameter with its value. */
  private final List<Integer> parameters;

  private final Map<Integer, Value> values = new HashMap<>();

  private UpsertStatement(
      Connection session,
      PreparedStatement insert,
      PreparedStatement update,
      List<Integer> parameters) {
    super(session, insert);
    this.update = update;
    this.parameters = parameters;
  }

  static UpsertStatement prepare(Connection session, Upsert upsert) throws SQLException {
    return prepare(session, upsert, List.of(), List.of());
  }

  /**
   * @param greatest columns that get the greater of both values
   * @param added columns to which the value is added
   */
  static UpsertStatement prepare(
      Connection session, Upsert upsert, List<String> greatest, List<String> added)
      throws SQLException {
    UpdateText text = new UpdateText(upsert);
    upsert.assignments().forEach(text::assign);
    greatest.forEach(text::raise);
    added.forEach(text::add);
    String sql = text.sql();
    PreparedStatement insert =
        session.prepareStatement(
            Db2ControlStatements.insert(upsert.table(), upsert.columns(), upsert.values()));
    try {
      return new UpsertStatement(
          session, insert, session.prepareStatement(sql), List.copyOf(text.parameters));
    } catch (SQLException e) {
      insert.close();
      throw e;
    }
  }

  @Override
  public int executeUpdate() throws SQLException {
    int changed = update();
    if (changed == 0) {
      changed = super.executeUpdate();
    }
    return changed == 0 ? update() : changed;
  }

  private int update() throws SQLException {
    for (int i = 0; i < parameters.size(); i++) {
      values.get(parameters.get(i)).setOn(update, i + 1);
    }
    return update.executeUpdate();
  }

  @Override
  public void setString(int parameter, String value) throws SQLException {
    keep(parameter, (statement, at) -> statement.setString(at, value));
    super.setString(parameter, value);
  }

  @Override
  public void setLong(int parameter, long value) throws SQLException {
    keep(parameter, (statement, at) -> statement.setLong(at, value));
    super.setLong(parameter, value);
  }

  @Override
  public void setInt(int parameter, int value) throws SQLException {
    keep(parameter, (statement, at) -> statement.setInt(at, value));
    super.setInt(parameter, value);
  }

  @Override
  public void setBytes(int parameter, byte[] value) throws SQLException {
    keep(parameter, (statement, at) -> statement.setBytes(at, value));
    super.setBytes(parameter, value);
  }

  @Override
  public void setNull(int parameter, int type) throws SQLException {
    keep(parameter, (statement, at) -> statement.setNull(at, type));
    super.setNull(parameter, type);
  }

  @Override
  public void setObject(int parameter, Object value) throws SQLException {
    keep(parameter, (statement, at) -> statement.setObject(at, value));
    super.setObject(parameter, value);
  }

  private void keep(int parameter, Value value) {
    values.put(parameter, value);
  }

  @Override
  public void close() throws SQLException {
    try {
      update.close();
    } finally {
      super.close();
    }
  }

  /** The text of the UPDATE. Used by one thread. */
  private static final class UpdateText {
    private final Upsert upsert;
    private final List<String> set = new ArrayList<>();
    private final List<Integer> parameters = new ArrayList<>();

    UpdateText(Upsert upsert) {
      this.upsert = upsert;
    }

    void assign(Assignment assignment) {
      String column = assignment.column();
      if (assignment.sql() != null) {
        set.add(column + " = " + assignment.sql());
      } else {
        String value = valueOf(column);
        set.add(
            column
                + " = "
                + (assignment.kept() ? "COALESCE(%s, %s)".formatted(value, column) : value));
      }
    }

    void raise(String column) {
      set.add(
          "%1$s = CASE WHEN %1$s < %2$s THEN %3$s ELSE %1$s END"
              .formatted(column, valueOf(column), valueOf(column)));
    }

    void add(String column) {
      set.add("%1$s = %1$s + %2$s".formatted(column, valueOf(column)));
    }

    String sql() {
      List<String> key = new ArrayList<>();
      for (String column : upsert.key()) {
        key.add(column + " = " + valueOf(column));
      }
      return "UPDATE %s SET %s WHERE %s"
          .formatted(upsert.table(), String.join(", ", set), String.join(" AND ", key));
    }

    /** The SQL of a column's value; records its parameter. */
    private String valueOf(String column) {
      int index = upsert.columns().indexOf(column);
      String value = upsert.values().get(index);
      if (value.equals("?")) {
        parameters.add(
            1 + (int) upsert.values().subList(0, index).stream().filter("?"::equals).count());
      }
      return value;
    }
  }
}
