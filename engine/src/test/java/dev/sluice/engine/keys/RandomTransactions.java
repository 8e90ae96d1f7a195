package dev.sluice.engine.keys;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Changes tables at random in transactions, as applications and psql users do; what constraints
 * refuse is undone, by savepoint or whole. Which row a statement takes depends on the rows' content
 * only, so that a seed does the same again.
 */
final class RandomTransactions {
  private static final String REFUSED =
      // constraints, values, what one statement may not do twice, rows too large for an index,
      // identity columns, truncates of what is referred to
      "(23|22|21|27|54).*|428C9|0A000|0A001|55000|55006";

  private final Connection sql;
  private final List<RandomTable> tables;
  private final Random random;
  private final List<String> told = new ArrayList<>();
  private long uid;

  RandomTransactions(Connection sql, List<RandomTable> tables, Random random) {
    this.sql = sql;
    this.tables = tables;
    this.random = random;
  }

  /** What was done, for the report of a failure. */
  List<String> told() {
    return told;
  }

  /** One transaction; may end without a change, or rolled back. */
  void next() throws SQLException {
    sql.setAutoCommit(false);
    told.add("BEGIN");
    try (Statement statement = sql.createStatement()) {
      if (random.nextInt(3) == 0) {
        statement.execute("SET CONSTRAINTS ALL DEFERRED");
      }
      int statements = 1 + random.nextInt(random.nextInt(6) == 0 ? 25 : 6);
      for (int i = 0; i < statements; i++) {
        attempt(statement, tables.get(random.nextInt(tables.size())));
      }
      if (random.nextInt(12) == 0) {
        sql.rollback();
        told.add("ROLLBACK");
      } else {
        commit();
      }
    } finally {
      sql.setAutoCommit(true);
    }
  }

  private void attempt(Statement statement, RandomTable table) throws SQLException {
    Savepoint before = sql.setSavepoint();
    int toldBefore = told.size();
    try {
      for (String text : statements(statement, table)) {
        statement.execute(text);
        told.add(text);
      }
    } catch (SQLException e) {
      if (!e.getSQLState().matches(REFUSED)) {
        throw new SQLException("after " + told, e.getSQLState(), e);
      }
      sql.rollback(before);
      told.subList(toldBefore, told.size()).clear();
    }
  }

  private void commit() throws SQLException {
    try {
      sql.commit();
      told.add("COMMIT");
    } catch (SQLException e) {
      if (!e.getSQLState().matches(REFUSED)) {
        throw e;
      }
      sql.rollback();
      told.add("ROLLBACK");
    }
  }

  /* All of them or none. */
  private List<String> statements(Statement statement, RandomTable table) throws SQLException {
    int kind = random.nextInt(40);
    if (kind < 13) {
      return List.of(insert(table));
    }
    if (kind == 13) {
      return List.of(truncate(table));
    }
    if (kind == 14) {
      return List.of("UPDATE %s SET %2$s = %2$s + 1".formatted(table.name(), someNumber(table)));
    }
    if (kind == 15) {
      return List.of(
          "DELETE FROM %s WHERE %s > 1".formatted(table.name(), table.columnOf(ColumnKind.B)));
    }
    String row = someRow(statement, table);
    if (row == null) {
      return List.of(insert(table));
    }
    if (kind < 19) {
      return List.of("DELETE FROM %s WHERE %s".formatted(table.rows(), row));
    }
    if (kind < 22) {
      return replace(statement, table, row);
    }
    if (kind < 26) {
      return swap(statement, table, row);
    }
    return List.of(update(table, row, random.nextInt(4) == 0));
  }

  private String insert(RandomTable table) {
    List<ColumnKind> kinds = table.kinds();
    List<String> rows = new ArrayList<>();
    int count = random.nextInt(5) == 0 ? 3 : 1;
    for (int i = 0; i < count; i++) {
      rows.add("(" + String.join(", ", kinds.stream().map(this::value).toList()) + ")");
    }
    return "INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE VALUES %s%s"
        .formatted(
            table.name(),
            names(table, kinds),
            String.join(", ", rows),
            random.nextInt(6) == 0 && !table.isPartitioned() ? " ON CONFLICT DO NOTHING" : "");
  }

  private String value(ColumnKind kind) {
    return kind == ColumnKind.UID ? Long.toString(++uid) : kind.value(random);
  }

  private static String names(RandomTable table, List<ColumnKind> kinds) {
    return String.join(", ", kinds.stream().map(table::columnOf).toList());
  }

  private String truncate(RandomTable table) {
    String cascade = random.nextBoolean() ? " CASCADE" : "";
    if (table.isPartitioned() && random.nextBoolean()) {
      return "TRUNCATE " + table.aPartition(random) + cascade;
    }
    RandomTable other = tables.get(random.nextInt(tables.size()));
    String only = !table.isPartitioned() && random.nextBoolean() ? "ONLY " : "";
    return "TRUNCATE %s%s%s%s"
        .formatted(only, table.name(), random.nextInt(3) > 0 ? "" : ", " + other.name(), cascade);
  }

  /* The same key again, for another row. */
  private List<String> replace(Statement statement, RandomTable table, String row)
      throws SQLException {
    List<ColumnKind> kinds = table.kinds();
    List<String> values = new ArrayList<>();
    for (ColumnKind kind : kinds) {
      values.add(table.key().contains(kind) ? oldValue(statement, table, kind, row) : value(kind));
    }
    return List.of(
        "DELETE FROM %s WHERE %s".formatted(table.rows(), row),
        "INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE VALUES (%s)"
            .formatted(table.name(), names(table, kinds), String.join(", ", values)));
  }

  /* Two rows exchange a value; the key's where luck wants it. */
  private List<String> swap(Statement statement, RandomTable table, String row)
      throws SQLException {
    ColumnKind kind =
        random.nextInt(3) == 0
            ? table.key().get(random.nextInt(table.key().size()))
            : random.nextBoolean() ? ColumnKind.A : ColumnKind.D;
    String other = someRow(statement, table);
    if (row.equals(other)) {
      return List.of();
    }
    String column = table.columnOf(kind);
    return List.of(
        "UPDATE %1$s AS x SET %2$s = y.%2$s FROM %1$s AS y WHERE x.%3$s AND y.%4$s OR y.%3$s AND x.%4$s"
            .formatted(table.rows(), column, "\0", "\1")
            .replace("x.\0", qualified("x", row))
            .replace("y.\0", qualified("y", row))
            .replace("x.\1", qualified("x", other))
            .replace("y.\1", qualified("y", other)));
  }

  private static String qualified(String alias, String row) {
    return row.replace("tableoid", alias + ".tableoid").replace("ctid", alias + ".ctid");
  }

  private String update(RandomTable table, String row, boolean alsoKey) {
    List<String> assignments = new ArrayList<>();
    for (ColumnKind kind : table.kinds()) {
      boolean mayBeSet = kind != ColumnKind.UID && (alsoKey || !table.key().contains(kind));
      if (mayBeSet && random.nextInt(kind == ColumnKind.C ? 4 : 3) == 0) {
        assignments.add(table.columnOf(kind) + " = " + kind.value(random));
      }
    }
    if (assignments.isEmpty()) {
      String column = table.columnOf(ColumnKind.A);
      assignments.add(column + " = " + column);
    }
    return "UPDATE %s SET %s WHERE %s".formatted(table.rows(), String.join(", ", assignments), row);
  }

  private String someNumber(RandomTable table) {
    return table.columnOf(
        switch (random.nextInt(3)) {
          case 0 -> ColumnKind.ID;
          case 1 -> ColumnKind.A;
          default -> ColumnKind.B;
        });
  }

  /** A condition that one row fulfils; null where there is none. */
  private String someRow(Statement statement, RandomTable table) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT tableoid, ctid FROM %s AS t ORDER BY md5(t::text || '%d'), ctid LIMIT 1"
                .formatted(table.rows(), random.nextInt()))) {
      return row.next()
          ? "(tableoid = %s AND ctid = '%s')".formatted(row.getString(1), row.getString(2))
          : null;
    }
  }

  private static String oldValue(
      Statement statement, RandomTable table, ColumnKind kind, String row) throws SQLException {
    try (ResultSet value =
        statement.executeQuery(
            "SELECT quote_nullable(%s::text) FROM %s WHERE %s"
                .formatted(table.columnOf(kind), table.rows(), row))) {
      value.next();
      return value.getString(1);
    }
  }
}
