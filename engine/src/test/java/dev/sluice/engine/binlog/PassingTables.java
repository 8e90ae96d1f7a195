package dev.sluice.engine.binlog;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * An application that makes, fills, alters, renames, empties and drops tables, and makes others of
 * the same names. Its statements are the same for the same seed, and all of them are such as the
 * documents call followed. Owned by one thread.
 */
final class PassingTables implements AutoCloseable {
  /** Types of columns, each with a value. */
  private static final Map<String, String> TYPES =
      Map.of(
          "INT", "11",
          "BIGINT NOT NULL DEFAULT 7", "12",
          "SMALLINT UNSIGNED", "65535",
          "DECIMAL(9,2)", "1.25",
          "VARCHAR(20) CHARACTER SET utf8mb4", "'größe'",
          "DOUBLE", "0.5",
          "DATE", "'2026-11-29'");

  /** Types of columns that a table gets later. */
  private static final List<String> ADDED =
      List.of("INT", "BIGINT NOT NULL DEFAULT 7", "VARCHAR(20) CHARACTER SET utf8mb4");

  private static final int MOST = 6;

  private final Connection session;
  private final Random random;
  private final List<String> told = new ArrayList<>();

  /** The tables that are there, each with its columns and their types, without the key. */
  private final Map<String, Map<String, String>> tables = new LinkedHashMap<>();

  /** The names whose table was dropped: another one may be made. */
  private final Set<String> dropped = new LinkedHashSet<>();

  /** The names whose table got another one: a table may be renamed to them. */
  private final Set<String> left = new LinkedHashSet<>();

  private int names;
  private int columns;
  private int madeAgain;

  PassingTables(Connection session, long seed) {
    this.session = session;
    this.random = new Random(seed);
  }

  /** Makes the tables with which a task begins. */
  void begin() throws SQLException {
    for (int i = 0; i < 3; i++) {
      make(newName());
    }
  }

  /** Runs so many steps of one or a few statements. */
  void work(int steps) throws SQLException {
    for (int i = 0; i < steps; i++) {
      step();
    }
  }

  private void step() throws SQLException {
    int kind = random.nextInt(20);
    if (tables.size() < 2 || kind < 3 && tables.size() < MOST) {
      make(dropped.isEmpty() || random.nextInt(4) == 0 ? newName() : any(dropped));
    } else if (kind < 6) {
      drop(any(tables.keySet()));
    } else if (kind < 9) {
      rename();
    } else if (kind == 9) {
      run("TRUNCATE TABLE " + any(tables.keySet()));
    } else if (kind == 10) {
      alter(any(tables.keySet()));
    } else {
      change(any(tables.keySet()));
    }
  }

  private void make(String table) throws SQLException {
    Map<String, String> columns = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      columns.put("c" + i, any(new TreeSet<>(TYPES.keySet())));
    }
    StringBuilder sql =
        new StringBuilder(
            "CREATE TABLE %s (id INT%s PRIMARY KEY"
                .formatted(table, random.nextBoolean() ? " AUTO_INCREMENT" : ""));
    columns.forEach((name, type) -> sql.append(", ").append(name).append(' ').append(type));
    run(sql.append(") ENGINE = InnoDB").toString());
    madeAgain += dropped.remove(table) ? 1 : 0;
    tables.put(table, columns);
    for (int i = random.nextInt(3); i > 0; i--) {
      change(table);
    }
  }

  private void drop(String table) throws SQLException {
    run("DROP TABLE " + table);
    tables.remove(table);
    dropped.add(table);
  }

  /** One table, or two of which the second gets the name of the first. */
  private void rename() throws SQLException {
    List<String> free = new ArrayList<>(left);
    free.addAll(dropped);
    String to = free.isEmpty() || random.nextInt(3) == 0 ? newName() : any(free);
    String from = any(tables.keySet());
    String second = any(tables.keySet());
    if (second.equals(from)) {
      run(
          random.nextBoolean()
              ? "RENAME TABLE %s TO %s".formatted(from, to)
              : "ALTER TABLE %s RENAME TO %s".formatted(from, to));
      move(from, to);
    } else {
      run("RENAME TABLE %s TO %s, %s TO %1$s".formatted(from, to, second));
      move(from, to);
      move(second, from);
    }
  }

  private void move(String from, String to) {
    dropped.remove(to);
    left.remove(to);
    tables.put(to, tables.remove(from));
    left.add(from);
  }

  private void alter(String table) throws SQLException {
    String column = "d" + ++columns;
    String type = ADDED.get(random.nextInt(ADDED.size()));
    run("ALTER TABLE %s ADD COLUMN %s %s".formatted(table, column, type));
    tables.get(table).put(column, type);
  }

  /** Tables have the same keys, so rows of two that were taken for one would be seen. */
  private void change(String table) throws SQLException {
    String column = any(tables.get(table).keySet());
    int key = 1 + random.nextInt(12);
    switch (random.nextInt(5)) {
      case 0 -> run("DELETE FROM %s WHERE id = %d".formatted(table, key));
      case 1 ->
          run(
              "UPDATE %s SET %s = %s WHERE id < %d"
                  .formatted(table, column, TYPES.get(tables.get(table).get(column)), key));
      default ->
          run(
              "REPLACE INTO %s (id, %s) VALUES (%d, %s), (%d, %4$s)"
                  .formatted(
                      table, column, key, TYPES.get(tables.get(table).get(column)), key + 1));
    }
  }

  private String newName() {
    return "t" + ++names;
  }

  private String any(Collection<String> from) {
    return List.copyOf(from).get(random.nextInt(from.size()));
  }

  private void run(String sql) throws SQLException {
    told.add(sql + ";");
    try (Statement statement = session.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The tables that are there. */
  Set<String> tables() {
    return tables.keySet();
  }

  /** How many tables were made under the name of one that was dropped. */
  int madeAgain() {
    return madeAgain;
  }

  /** All statements. */
  List<String> told() {
    return told;
  }

  @Override
  public void close() throws SQLException {
    session.close();
  }
}
