package dev.sluice.sink.apply;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Changes a source table at random in transactions, and returns the changes as the capture would.
 * Changes that the table's constraints reject are rolled back and not returned.
 */
final class RandomSource {
  private static final List<String> COLUMNS = List.of("id", "a", "b", "c", "d");

  private final Connection sql;
  private final String table;
  private final RowSchema schema;
  private final Random random;
  private boolean keepsKeys;

  /**
   * @param key names of the key columns; empty for a table without a key
   */
  RandomSource(Connection sql, String table, List<String> key, Random random) {
    this.sql = sql;
    this.table = "src." + TableId.quote(table);
    this.random = random;
    this.schema =
        new RowSchema(
            new TableId("src", table),
            COLUMNS.stream()
                .map(
                    name ->
                        new Column(
                            name,
                            List.of("c", "d").contains(name) ? "text" : "integer",
                            !key.contains(name),
                            key.contains(name)))
                .toList());
  }

  /** From now on no row changes its key, and without a key there are only inserts. */
  RandomSource keepingKeys() {
    keepsKeys = true;
    return this;
  }

  RowSchema schema() {
    return schema;
  }

  /** One transaction of a few statements; empty if its commit was rejected. */
  List<RowChange> transaction() throws SQLException {
    sql.setAutoCommit(false);
    List<RowChange> changes = new ArrayList<>();
    int statements = 1 + random.nextInt(6);
    for (int i = 0; i < statements; i++) {
      Savepoint before = sql.setSavepoint();
      try {
        RowChange change = statement();
        if (change != null) {
          changes.add(change);
        }
      } catch (SQLException e) {
        if (!isRefusal(e)) {
          throw e;
        }
        sql.rollback(before);
      }
    }
    try {
      sql.commit();
    } catch (SQLException e) {
      if (!isRefusal(e)) {
        throw e;
      }
      sql.rollback();
      changes.clear();
    } finally {
      sql.setAutoCommit(true);
    }
    return changes;
  }

  /** Whether a constraint or an identity column rejected the statement. */
  private static boolean isRefusal(SQLException error) {
    return error.getSQLState().startsWith("23") || error.getSQLState().equals("428C9");
  }

  private RowChange statement() throws SQLException {
    int kind = keepsKeys && !schema.hasKey() ? 0 : random.nextInt(10);
    if (kind < 3) {
      Row row =
          only(
              "INSERT INTO %s (id, a, b, c, d) OVERRIDING SYSTEM VALUE VALUES (%s, %s, %s, %s, %s) RETURNING %s"
                  .formatted(table, id(), number(), number(), text(), text(), all()));
      return new RowChange(schema, null, row);
    }
    String place =
        first(
            "SELECT ctid FROM %s ORDER BY random() LIMIT 1"
                .formatted(table)
                .replace("random()", "hashtext(ctid::text || '" + random.nextInt() + "')"));
    if (place == null) {
      return null;
    }
    String where = table(place);
    Row old = only("SELECT %s FROM %s".formatted(all(), where));
    if (kind < 5) {
      only("DELETE FROM %s RETURNING %s".formatted(where, all()));
      return new RowChange(schema, schema.matchOf(old), null);
    }
    Row row =
        only(
            "UPDATE %s SET %s WHERE ctid = '%s' RETURNING %s"
                .formatted(table, assignments(), place, all()));
    return new RowChange(
        schema, schema.matchOf(old), schema.hasKey() ? withUnchanged(old, row) : row);
  }

  private String table(String place) {
    return table + " WHERE ctid = '" + place + "'";
  }

  private String assignments() {
    List<String> assignments = new ArrayList<>();
    if (random.nextInt(4) == 0 && !keeps("id")) {
      assignments.add("id = " + id());
    }
    if (random.nextInt(2) == 0) {
      assignments.add("a = " + number());
    }
    if (random.nextInt(2) == 0 && !keeps("b")) {
      assignments.add("b = " + number());
    }
    if (random.nextInt(3) == 0) {
      assignments.add("c = " + text());
    }
    if (assignments.isEmpty() || random.nextInt(3) == 0) {
      assignments.add("d = " + text());
    }
    return String.join(", ", assignments);
  }

  private boolean keeps(String column) {
    return keepsKeys && schema.columns().get(COLUMNS.indexOf(column)).key();
  }

  /* As for TOAST: a text that an update does not touch may be missing from the log. */
  private Row withUnchanged(Row old, Row row) {
    RowBuilder builder = new RowBuilder(64);
    for (int i = 0; i < COLUMNS.size(); i++) {
      String value = row.text(i);
      boolean same = value != null && value.equals(old.text(i));
      if (i >= 3 && same && random.nextInt(2) == 0) {
        builder.addUnchanged();
      } else {
        builder.add(value);
      }
    }
    return builder.build();
  }

  private String id() {
    return Integer.toString(random.nextInt(8));
  }

  private String number() {
    int number = random.nextInt(6);
    return number == 5 ? "NULL" : Integer.toString(number);
  }

  private String text() {
    return switch (random.nextInt(5)) {
      case 0 -> "NULL";
      case 1 -> "'x'";
      case 2 -> "'X'";
      case 3 -> "repeat('y', " + (1 + random.nextInt(5000)) + ")";
      default -> "E'\\\\\\t\"{,}''é" + random.nextInt(4) + "'";
    };
  }

  private static String all() {
    return String.join(", ", COLUMNS.stream().map(name -> name + "::text").toList());
  }

  private String first(String query) throws SQLException {
    try (Statement statement = sql.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      return row.next() ? row.getString(1) : null;
    }
  }

  private Row only(String statementText) throws SQLException {
    try (Statement statement = sql.createStatement();
        ResultSet row = statement.executeQuery(statementText)) {
      row.next();
      String[] values = new String[COLUMNS.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = row.getString(i + 1);
      }
      return RowBuilder.rowOf(values);
    }
  }
}
