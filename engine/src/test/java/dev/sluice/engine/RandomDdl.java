package dev.sluice.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * An application that changes its tables as often as its rows, in transactions of both, some of
 * them rolled back; all by the seed. Knows what it has made, so that its statements succeed.
 */
public final class RandomDdl {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private static final List<String> TYPES =
      List.of("int", "bigint", "text", "numeric(12,3)", "varchar(12)", "timestamptz", "text[]");

  private final Random random;
  private final List<Table> tables = new ArrayList<>();
  private int names;

  public RandomDdl(long seed) {
    this.random = new Random(seed);
  }

  /** Transactions in the schema, one after the other, until the thread is interrupted. */
  public void run(Connection connection, String schema) throws SQLException {
    connection.setSchema(schema);
    while (!Thread.interrupted()) {
      transaction(connection);
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private record Column(String name, String type) {}

  private record Table(String name, String key, List<Column> columns) {
    boolean has(String column) {
      return columns.stream().anyMatch(other -> other.name().equals(column));
    }

    Table copy() {
      return new Table(name, key, new ArrayList<>(columns));
    }
  }

  /** One transaction; what it did, for messages. */
  public List<String> transaction(Connection connection) throws SQLException {
    List<Table> before = tables.stream().map(Table::copy).toList();
    List<String> statements = new ArrayList<>();
    int steps = 1 + random.nextInt(6);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      for (int step = 0; step < steps; step++) {
        for (String sql : step()) {
          statements.add(sql);
          statement.execute(sql);
        }
      }
      if (random.nextInt(8) == 0) {
        connection.rollback();
        tables.clear();
        tables.addAll(before);
        statements.add("ROLLBACK");
      } else {
        connection.commit();
        statements.add("COMMIT");
      }
    }
    return statements;
  }

  private List<String> step() {
    if (tables.isEmpty() || tables.size() < 5 && random.nextInt(12) == 0) {
      return List.of(create());
    }
    int index = random.nextInt(tables.size());
    Table table = tables.get(index);
    int choice = random.nextInt(30);
    if (choice < 18) {
      return List.of(change(table));
    }
    return switch (choice) {
      case 18, 19, 20 -> List.of(add(table));
      case 21, 22 -> List.of(drop(table));
      case 23, 24 -> List.of(renameColumn(index));
      case 25 -> List.of(retype(table));
      case 26 -> List.of(renameTable(index));
      case 27 -> List.of("TRUNCATE " + table.name());
      case 28 -> swapKey(table);
      default -> List.of(dropTable(index));
    };
  }

  private String create() {
    Table table = new Table(name("t"), name("k"), new ArrayList<>());
    for (int i = random.nextInt(4); i > 0; i--) {
      table.columns().add(new Column(columnName(table), type()));
    }
    tables.add(table);
    return "CREATE TABLE %s (%s int PRIMARY KEY%s)"
        .formatted(
            table.name(),
            table.key(),
            table.columns().stream()
                .map(column -> ", " + column.name() + " " + column.type())
                .collect(Collectors.joining()));
  }

  private String change(Table table) {
    int low = random.nextInt(40);
    int high = low + random.nextInt(10);
    int what = random.nextInt(6);
    if (what == 0) {
      return "DELETE FROM %s WHERE %s BETWEEN %d AND %d"
          .formatted(table.name(), table.key(), low, high);
    }
    if (what == 1) {
      return "UPDATE %1$s SET %2$s = -%2$s WHERE %2$s = %3$d AND NOT EXISTS (SELECT FROM %1$s WHERE %2$s = -%3$d)"
          .formatted(table.name(), table.key(), low);
    }
    if (what <= 3 && !table.columns().isEmpty()) {
      Column column = table.columns().get(random.nextInt(table.columns().size()));
      return "UPDATE %s SET %s = %s WHERE %s BETWEEN %d AND %d"
          .formatted(table.name(), column.name(), value(column.type()), table.key(), low, high);
    }
    String columns =
        table.columns().stream().map(column -> ", " + column.name()).collect(Collectors.joining());
    String values =
        table.columns().stream()
            .map(column -> ", " + value(column.type()))
            .collect(Collectors.joining());
    return "INSERT INTO %s (%s%s) SELECT g%s FROM generate_series(%d, %d) g ON CONFLICT DO NOTHING"
        .formatted(table.name(), table.key(), columns, values, low, high);
  }

  private String add(Table table) {
    if (table.columns().size() > 8) {
      return change(table);
    }
    Column column = new Column(columnName(table), type());
    table.columns().add(column);
    String filled =
        switch (random.nextInt(4)) {
          case 0 -> " DEFAULT " + value(column.type());
          case 1 -> column.type().equals("timestamptz") ? " DEFAULT now()" : "";
          case 2 -> " NOT NULL DEFAULT " + value(column.type());
          default -> "";
        };
    return "ALTER TABLE %s ADD COLUMN %s %s%s"
        .formatted(table.name(), column.name(), column.type(), filled);
  }

  private String drop(Table table) {
    if (table.columns().isEmpty()) {
      return add(table);
    }
    Column column = table.columns().remove(random.nextInt(table.columns().size()));
    return "ALTER TABLE %s DROP COLUMN %s".formatted(table.name(), column.name());
  }

  private String renameColumn(int index) {
    Table table = tables.get(index);
    int place = random.nextInt(table.columns().size() + 1);
    String name = columnName(table);
    if (place == table.columns().size()) {
      tables.set(index, new Table(table.name(), name, table.columns()));
      return "ALTER TABLE %s RENAME COLUMN %s TO %s".formatted(table.name(), table.key(), name);
    }
    Column column = table.columns().get(place);
    table.columns().set(place, new Column(name, column.type()));
    return "ALTER TABLE %s RENAME COLUMN %s TO %s".formatted(table.name(), column.name(), name);
  }

  private String retype(Table table) {
    for (int i = 0; i < table.columns().size(); i++) {
      Column column = table.columns().get(i);
      String wider =
          switch (column.type()) {
            case "int" -> "bigint";
            case "bigint" -> "numeric(20,2)";
            case "varchar(12)", "timestamptz" -> "text";
            case "numeric(12,3)" -> "numeric(12,1)";
            default -> null;
          };
      if (wider != null) {
        table.columns().set(i, new Column(column.name(), wider));
        // Its default may have no cast.
        return "ALTER TABLE %1$s ALTER COLUMN %2$s DROP DEFAULT, ALTER COLUMN %2$s TYPE %3$s"
            .formatted(table.name(), column.name(), wider);
      }
    }
    return add(table);
  }

  private String renameTable(int index) {
    Table table = tables.get(index);
    String name = name("t");
    tables.set(index, new Table(name, table.key(), table.columns()));
    return "ALTER TABLE %s RENAME TO %s".formatted(table.name(), name);
  }

  /** For a while the table has no key. */
  private List<String> swapKey(Table table) {
    String constraint = name("pk");
    return List.of(
        "DO $$ BEGIN EXECUTE (SELECT format('ALTER TABLE %%I DROP CONSTRAINT %%I', '%1$s', conname) FROM pg_constraint WHERE conrelid = '%1$s'::regclass AND contype = 'p'); END $$"
            .formatted(table.name()),
        change(table)
            .replace(
                " ON CONFLICT DO NOTHING",
                " WHERE NOT EXISTS (SELECT FROM %s o WHERE o.%s = g)"
                    .formatted(table.name(), table.key())),
        "ALTER TABLE %s ADD CONSTRAINT %s PRIMARY KEY (%s)"
            .formatted(table.name(), constraint, table.key()));
  }

  private String dropTable(int index) {
    return "DROP TABLE " + tables.remove(index).name();
  }

  private String name(String prefix) {
    return prefix + names++;
  }

  /** A name that the table does not have: one of few, so that those of gone columns come back. */
  private String columnName(Table table) {
    String name;
    do {
      name = "c" + random.nextInt(12);
    } while (name.equals(table.key()) || table.has(name));
    return name;
  }

  private String type() {
    return TYPES.get(random.nextInt(TYPES.size()));
  }

  private String value(String type) {
    int number = random.nextInt(1000);
    if (random.nextInt(10) == 0 && !type.equals("text[]")) {
      number = 0;
    }
    return switch (type) {
      case "int", "bigint" -> Integer.toString(number);
      case "timestamptz" ->
          "'2020-01-01 00:00:00+00'::timestamptz + interval '1 second' * " + number;
      case "text[]" -> "'{a\\\\b,\"%d\"}'::text[]".formatted(number);
      case "text", "varchar(12)" -> "'v''%d'".formatted(number);
      default -> number + "." + number % 10;
    };
  }
}
