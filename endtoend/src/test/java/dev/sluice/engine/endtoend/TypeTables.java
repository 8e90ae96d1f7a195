package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Tables with a column of every type, as a value, in an array, under a domain, in a composite, in a
 * key, and in rows without a key; and what is done to them. One side of the comparison: owns its
 * connection.
 */
final class TypeTables implements AutoCloseable {
  static final String SCHEMA = "app";

  /**
   * As many as the longest list of samples and one more, so that each type is NULL at least once.
   */
  private static final int ROWS = 14;

  private static final int KEY_COLUMNS = 28;
  private static final int MEGABYTES = Integer.getInteger("sluice.value.megabytes", 3);

  private static final String EVERY_TYPE =
      """
      SELECT format_type(oid, NULL) FROM pg_type
      WHERE typtype IN ('b', 'r', 'm', 'e', 'd') AND oid < 16384
        AND NOT EXISTS (SELECT FROM pg_type e WHERE e.typarray = pg_type.oid)
      """;

  /** Types with no order, by which no key can be found. */
  private static final List<String> NO_KEY =
      List.of(
          "aclitem",
          "box",
          "cid",
          "circle",
          "json",
          "jsonpath",
          "kinds.lquery",
          "kinds.ltxtquery",
          "kinds.query_int",
          "line",
          "lseg",
          "path",
          "pg_snapshot",
          "point",
          "polygon",
          "refcursor",
          "txid_snapshot",
          "xid",
          "xml");

  private static final List<String> BINARY =
      List.of(
          "bigint",
          "bit",
          "bit varying",
          "boolean",
          "bytea",
          "character",
          "character varying",
          "cidr",
          "date",
          "double precision",
          "inet",
          "integer",
          "json",
          "jsonb",
          "macaddr",
          "numeric",
          "real",
          "smallint",
          "text",
          "time with time zone",
          "time without time zone",
          "timestamp with time zone",
          "timestamp without time zone",
          "uuid");

  /** What is done on the source, one after the other. */
  enum Step {
    INSERT,
    UPDATE,
    UPDATE_OF_ANOTHER_COLUMN,
    KEY_CHANGE,
    DELETE,
    LARGE_INSERT,
    LARGE_UPDATE,
    LARGE_DELETE;

    /** Without those whose sets are large enough to go through staging tables. */
    static final Step[] SMALL = {INSERT, UPDATE, UPDATE_OF_ANOTHER_COLUMN, KEY_CHANGE, DELETE};
  }

  private final Connection connection;
  private final List<String> types = new ArrayList<>();
  private final List<List<String>> samples = new ArrayList<>();

  private TypeTables(Connection connection) {
    this.connection = connection;
    Map<String, List<String>> all = new LinkedHashMap<>(TypeSamples.builtIn());
    all.putAll(TypeSamples.made());
    all.forEach(
        (type, values) -> {
          types.add(type);
          samples.add(values);
        });
  }

  /** With the settings pinned on which the text of values hangs. */
  static TypeTables on(Connection connection) throws SQLException {
    run(
        connection,
        "SET standard_conforming_strings = on",
        "SET array_nulls = on",
        "SET DateStyle = ISO",
        "SET IntervalStyle = postgres",
        "SET TimeZone = 'UTC'",
        "SET bytea_output = hex",
        "SET xmloption = content",
        "SET extra_float_digits = 3",
        "SET quote_all_identifiers = off",
        "SET default_transaction_isolation = 'read committed'",
        "SET lc_monetary = 'C'",
        "SET search_path = pg_catalog");
    return new TypeTables(connection);
  }

  /** Every type of the server that is not an array of another. */
  static List<String> typesOf(Connection connection) throws SQLException {
    return rows(connection, EVERY_TYPE).stream().map(row -> row.get(0)).toList();
  }

  void make() throws SQLException {
    run("CREATE SCHEMA " + SCHEMA);
    for (String statement : TypeSamples.MAKE) {
      run(statement);
    }
    makeValues();
    makeArrays();
    makeDomains();
    makeComposites();
    makeKeyless();
    makeKeys();
    makeLarge();
    makeBinary();
  }

  private void makeValues() throws SQLException {
    run("CREATE TABLE app.by_id (id int PRIMARY KEY, note text, %s)".formatted(columns("c", "%s")));
    for (int row = 0; row < ROWS; row++) {
      int number = row;
      run("INSERT INTO app.by_id VALUES (%d, '', %s)".formatted(row, each(i -> value(i, number))));
    }
  }

  private void makeArrays() throws SQLException {
    run(
        "CREATE TABLE app.arrays (id int PRIMARY KEY, note text, %s)"
            .formatted(columns("c", "%s[]")));
    for (int row = 0; row < ROWS; row++) {
      int number = row;
      run("INSERT INTO app.arrays VALUES (%d, '', %s)".formatted(row, each(i -> array(i, number))));
    }
  }

  private void makeDomains() throws SQLException {
    for (int i = 0; i < types.size(); i++) {
      run(
          "CREATE DOMAIN kinds.domain_%d AS %s CHECK (num_nulls(VALUE) < 2)"
              .formatted(i, types.get(i)));
    }
    run(
        "CREATE TABLE app.domains (id int PRIMARY KEY, note text, %s)"
            .formatted(each(i -> "c%d kinds.domain_%d".formatted(i, i))));
    run("INSERT INTO app.domains SELECT * FROM app.by_id");
  }

  private void makeComposites() throws SQLException {
    run("CREATE TYPE kinds.everything AS (%s)".formatted(columns("c", "%s")));
    run("CREATE DOMAIN kinds.anything AS kinds.everything");
    run(
        "CREATE TABLE app.composites (id int PRIMARY KEY, note text, one kinds.everything, many"
            + " kinds.everything[], same kinds.anything)");
    run(
        "INSERT INTO app.composites SELECT id, '', w, ARRAY[w, NULL, w], w FROM (SELECT id, ROW(%s)::kinds.everything AS w FROM app.by_id) s"
            .formatted(each(i -> "c" + i)));
  }

  private void makeKeyless() throws SQLException {
    run(
        "CREATE TABLE app.keyless (note text, %s, %s)"
            .formatted(columns("c", "%s"), columns("a", "%s[]")));
    run("ALTER TABLE app.keyless REPLICA IDENTITY FULL");
    run(
        "INSERT INTO app.keyless SELECT '', %s, %s FROM app.by_id v JOIN app.arrays a USING (id), generate_series(1, 2)"
            .formatted(each(i -> "v.c" + i), each(i -> "a.c" + i)));
  }

  /** A primary key and the index of a replica identity by turns. */
  private void makeKeys() throws SQLException {
    List<String> refused = new ArrayList<>();
    List<String> keyTypes = new ArrayList<>();
    List<List<String>> keySamples = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      if (canBeKey(types.get(i))) {
        keyTypes.add(types.get(i));
        keySamples.add(samples.get(i));
        keyTypes.add(types.get(i) + "[]");
        int type = i;
        keySamples.add(IntStream.range(0, 3).mapToObj(row -> array(type, row)).toList());
      } else {
        refused.add(types.get(i));
      }
    }
    assertThat(refused).containsExactlyInAnyOrderElementsOf(NO_KEY);
    for (int from = 0; from < keyTypes.size(); from += KEY_COLUMNS) {
      int to = Math.min(keyTypes.size(), from + KEY_COLUMNS);
      String table = "app.keys_" + from;
      String names =
          IntStream.range(from, to).mapToObj(i -> "k" + i).collect(Collectors.joining(", "));
      run(
          "CREATE TABLE %s (id int NOT NULL, note text, %s)"
              .formatted(
                  table,
                  IntStream.range(from, to)
                      .mapToObj(i -> "k%d %s NOT NULL".formatted(i, keyTypes.get(i)))
                      .collect(Collectors.joining(", "))));
      if (from / KEY_COLUMNS % 2 == 0) {
        run("ALTER TABLE %s ADD PRIMARY KEY (id, %s)".formatted(table, names));
      } else {
        run("CREATE UNIQUE INDEX keys_%d_identity ON %s (%s, id)".formatted(from, table, names));
        run("ALTER TABLE %s REPLICA IDENTITY USING INDEX keys_%d_identity".formatted(table, from));
      }
      for (int row = 0; row < ROWS; row++) {
        int number = row;
        run(
            "INSERT INTO %s VALUES (%d, '', %s)"
                .formatted(
                    table,
                    row,
                    IntStream.range(from, to)
                        .mapToObj(
                            i -> {
                              List<String> small =
                                  keySamples.get(i).stream()
                                      .filter(v -> !v.contains("repeat") && !v.contains("1e131071"))
                                      .toList();
                              return small.get(number % small.size()) + "::" + keyTypes.get(i);
                            })
                        .collect(Collectors.joining(", "))));
      }
    }
  }

  private boolean canBeKey(String type) throws SQLException {
    try {
      run("CREATE TEMPORARY TABLE tried (k %s PRIMARY KEY)".formatted(type));
      run("DROP TABLE pg_temp.tried");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /** Values that are kept out of their row, and so are not in the log when they are unchanged. */
  private void makeLarge() throws SQLException {
    run(
        "CREATE TABLE app.large (id int PRIMARY KEY, note text, t text, b bytea, j jsonb, a text[],"
            + " w kinds.pair)");
    for (String column : List.of("t", "b", "a", "w")) {
      run("ALTER TABLE app.large ALTER %s SET STORAGE EXTERNAL".formatted(column));
    }
    run(
        """
        INSERT INTO app.large
        SELECT id, '', left(long, n), decode(left(md5s, n), 'hex'), to_jsonb(left(long, 20000)), ARRAY[left(long, 20000), NULL],
               ROW(id, left(long, 20000), 0)::kinds.pair
        FROM (SELECT id, CASE id WHEN 1 THEN %d * 1024 * 1024 ELSE 10000 END AS n, md5s, replace(md5s, 'a', E'\\n\\t\\\\ä"') AS long
              FROM generate_series(1, 2) id,
                   (SELECT repeat((SELECT string_agg(md5(g::text), '') FROM generate_series(1, 1000) g), 1 + %d * 1024 / 31) AS md5s) s) l
        """
            .formatted(MEGABYTES, MEGABYTES));
  }

  /** Types that a load carries in the server's own form, where all of a table's are such. */
  private void makeBinary() throws SQLException {
    String values =
        IntStream.range(0, types.size())
            .filter(i -> BINARY.contains(types.get(i).replaceFirst("\\(.*\\)", "")))
            .mapToObj(i -> "v.c%d, a.c%d AS a%d".formatted(i, i, i))
            .collect(Collectors.joining(", "));
    String rows = "SELECT id, '' AS note, %s FROM app.by_id v JOIN app.arrays a USING (id)";
    run("CREATE TABLE app.as_binary AS " + rows.formatted(values));
    run("ALTER TABLE app.as_binary ADD PRIMARY KEY (id)");
    run("CREATE TABLE app.floats AS SELECT '' AS note, c5, c6 FROM app.by_id");
    run("ALTER TABLE app.floats REPLICA IDENTITY FULL");
  }

  void change(Step step) throws SQLException {
    String all = each(i -> "c%d = s.c%d".formatted(i, i));
    switch (step) {
      case INSERT -> {
        for (String table : List.of("by_id", "arrays", "domains", "composites", "large")) {
          copy(table, "id + 100", "");
        }
        for (String table : keyTables()) {
          copy(table, "id + 100", "");
        }
        copy("keyless", null, "");
      }
      case UPDATE -> {
        for (String table : List.of("by_id", "arrays", "domains")) {
          run(rotate(table, all, "100 + (t.id + 1) % " + ROWS));
        }
        run(
            rotate(
                "composites",
                "one = s.one, many = s.many, same = s.same",
                "100 + (t.id + 1) % " + ROWS));
        run(
            rotate(
                "large",
                "t = s.t || 'x', b = s.b || '\\x00'::bytea, j = s.j || '{}', a = s.a || s.a, w ="
                    + " s.w",
                "100 + 3 - t.id"));
        run(
            "WITH s AS (SELECT * FROM app.keyless LIMIT 1) UPDATE app.keyless t SET %s FROM s WHERE t.ctid IN (SELECT ctid FROM app.keyless LIMIT 5)"
                .formatted(all));
      }
      case UPDATE_OF_ANOTHER_COLUMN -> {
        for (String table : tables()) {
          run("UPDATE app.%s SET note = note || '+'".formatted(table));
        }
      }
      case KEY_CHANGE -> {
        for (String table : List.of("by_id", "arrays", "domains", "composites", "large")) {
          run("UPDATE app.%s SET id = id + 10000 WHERE id %% 2 = 0".formatted(table));
        }
        for (String table : keyTables()) {
          String set =
              columnsOf(table).stream()
                  .filter(name -> name.startsWith("k"))
                  .map(name -> name + " = s." + name)
                  .collect(Collectors.joining(", "));
          run(
              "UPDATE app.%s t SET id = t.id + 10000, %s FROM app.%s s WHERE t.id < 100 AND s.id = 100 + (t.id + 1) %% %d"
                  .formatted(table, set, table, ROWS));
        }
      }
      case DELETE -> {
        for (String table : tables()) {
          run(
              "DELETE FROM app.%s WHERE ctid IN (SELECT ctid FROM app.%s WHERE ctid <> (SELECT min(ctid) FROM app.%s) LIMIT 9)"
                  .formatted(table, table, table));
        }
      }
      case LARGE_INSERT -> {
        for (String table : List.of("arrays", "domains", "keys_0", "keys_28")) {
          copy(table, "id + 100000 * g", ", generate_series(1, 75) g WHERE id < 7");
        }
        copy("keyless", null, " WHERE c4 < 'Infinity'");
        copy("keyless", null, " k, generate_series(1, 30) g WHERE k.c4 = 0 LIMIT 510");
      }
      case LARGE_UPDATE -> {
        for (String table : List.of("arrays", "domains")) {
          run(
              "UPDATE app.%s t SET %s FROM app.%s s WHERE t.id > 100000 AND s.id = 100 + t.id %% 7"
                  .formatted(table, all, table));
        }
        for (String table : List.of("keys_0", "keys_28")) {
          run("UPDATE app.%s SET note = 'large', id = -id WHERE id > 100000".formatted(table));
        }
        run("UPDATE app.keyless SET note = 'large' WHERE c4 = 0");
      }
      case LARGE_DELETE -> {
        for (String table : List.of("arrays", "domains", "keys_0", "keys_28")) {
          run("DELETE FROM app.%s WHERE id > 100000 OR id < -100000".formatted(table));
        }
        run("DELETE FROM app.keyless WHERE c4 = 0");
      }
    }
  }

  private void copy(String table, String id, String more) throws SQLException {
    List<String> names = columnsOf(table);
    run(
        "INSERT INTO app.%s SELECT %s FROM app.%s%s"
            .formatted(
                table,
                names.stream()
                    .map(name -> name.equals("id") ? id : "\"" + name + "\"")
                    .collect(Collectors.joining(", ")),
                table,
                more));
  }

  private static String rotate(String table, String set, String other) {
    return "UPDATE app.%s t SET %s FROM app.%s s WHERE s.id = %s AND t.id < 100"
        .formatted(table, set, table, other);
  }

  /** Each column's texts, side by side; names those that differ by their type. */
  void assertEqualTo(TypeTables source, String when) throws SQLException {
    assertThat(tables()).isEqualTo(source.tables());
    List<String> differences = new ArrayList<>();
    for (String table : tables()) {
      List<List<String>> there = source.texts(table);
      List<List<String>> here = texts(table);
      if (there.size() != here.size()) {
        differences.add("%s: %d rows, should be %d".formatted(table, here.size(), there.size()));
      }
      List<String> names = columnsOf(table);
      for (int row = 0; row < Math.min(there.size(), here.size()); row++) {
        for (int column = 0; column < names.size(); column++) {
          String expected = there.get(row).get(column);
          String found = here.get(row).get(column);
          if (!java.util.Objects.equals(expected, found) && differences.size() < 50) {
            differences.add(
                "%s row %d, %s: '%s', should be '%s'"
                    .formatted(
                        table,
                        row,
                        described(table, names.get(column)),
                        cut(found),
                        cut(expected)));
          }
        }
      }
    }
    assertThat(differences).as("after " + when).isEmpty();
  }

  private String described(String table, String column) throws SQLException {
    return rows(
            connection,
            "SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'app.%s'::regclass AND attname = '%s'"
                .formatted(table, column))
        .get(0)
        .get(0);
  }

  private static String cut(String text) {
    return text == null || text.length() < 300 ? text : text.substring(0, 300) + "…";
  }

  private List<List<String>> texts(String table) throws SQLException {
    String columns =
        columnsOf(table).stream()
            .map(
                name ->
                    (table.equals("large") ? "md5(\"%s\"::text)" : "\"%s\"::text").formatted(name))
            .collect(Collectors.joining(", "));
    return rows(connection, "SELECT %s FROM app.%s".formatted(columns, table)).stream()
        .sorted(Comparator.comparing(List::toString))
        .toList();
  }

  private List<String> tables() throws SQLException {
    return rows(
            connection,
            "SELECT relname FROM pg_class WHERE relnamespace = 'app'::regnamespace AND relkind ="
                + " 'r' ORDER BY 1")
        .stream()
        .map(row -> row.get(0))
        .toList();
  }

  private List<String> keyTables() throws SQLException {
    return tables().stream().filter(name -> name.startsWith("keys_")).toList();
  }

  private List<String> columnsOf(String table) throws SQLException {
    return rows(
            connection,
            "SELECT attname FROM pg_attribute WHERE attrelid = 'app.%s'::regclass AND attnum > 0 ORDER BY attnum"
                .formatted(table))
        .stream()
        .map(row -> row.get(0))
        .toList();
  }

  private String columns(String prefix, String type) {
    return each(i -> prefix + i + " " + type.formatted(types.get(i)));
  }

  private String each(IntFunction<String> column) {
    return IntStream.range(0, types.size()).mapToObj(column).collect(Collectors.joining(", "));
  }

  private String value(int type, int row) {
    List<String> values = samples.get(type);
    return row == ROWS - 1 && !types.get(type).startsWith("kinds.short")
        ? "NULL"
        : values.get(row % values.size()) + "::" + types.get(type);
  }

  /** Empty, with NULLs, of two dimensions, with other bounds. */
  private String array(int type, int row) {
    List<String> values = samples.get(type);
    String name = types.get(type) + "[]";
    boolean nulls = !types.get(type).startsWith("kinds.short") && !types.get(type).endsWith("lo");
    String one = values.get(row % values.size());
    String other = values.get((row + 1) % values.size());
    return switch (row % 4) {
      case 0 -> "ARRAY[%s, %s, %s]::%s".formatted(one, nulls ? "NULL" : one, other, name);
      case 1 ->
          "('[0:0][-5:-4]=' || ARRAY[ARRAY[%s, %s]]::%s::text)::%s"
              .formatted(one, other, name, name);
      case 2 -> "'{}'::" + name;
      default -> row == ROWS - 1 ? "NULL" : "ARRAY[%s]::%s".formatted(one, name);
    };
  }

  private void run(String sql) throws SQLException {
    run(connection, sql);
  }

  static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        try {
          statement.execute(sql);
        } catch (SQLException e) {
          throw new SQLException(e.getMessage() + " in " + cut(sql), e.getSQLState(), e);
        }
      }
    }
  }

  private static List<List<String>> rows(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<List<String>> rows = new ArrayList<>();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          row.add(result.getString(i));
        }
        rows.add(row);
      }
      return rows;
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
