package dev.sluice.bench.workload;

import dev.sluice.bench.server.Database;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The tables that a load copies: of one kind and all of the same size. Immutable. */
public record LoadedTables(Kind kind, int count, int rows) {

  /** What the tables are like. */
  public enum Kind {
    /** As pgbench's, about 130 bytes a row, with two indexes beside the key. */
    ACCOUNTS(
        "(id int NOT NULL, branch int, balance int, filler char(84), changed timestamptz)",
        "i, i % 100, 0, 'account ' || i, now() + i * interval '1 second'",
        List.of("(branch)", "(changed)")),
    /** One integer, which is the key. */
    INTEGERS("(id int NOT NULL)", "i", List.of()),
    /** 52 columns of three types, about 700 bytes a row. */
    WIDE(
        "(id int NOT NULL%s)"
            .formatted(seventeenTimes(", n%1$d int, t%1$d text, x%1$d numeric(12, 2)")),
        "i%s"
            .formatted(seventeenTimes(", i %% %1$d + %1$d, 'text ' || i + %1$d, i / (%1$d + 1.0)")),
        List.of("(n1)", "(t2)")),
    /**
     * A text of 32,000 random characters, which the server stores apart and cannot compress much.
     */
    LARGE(
        "(id int NOT NULL, body text)",
        "i, (SELECT string_agg(md5(i || '/' || j), '') FROM generate_series(1, 1000) j)",
        List.of());

    private final String columns;
    private final String values;
    private final List<String> indexes;

    Kind(String columns, String values, List<String> indexes) {
      this.columns = columns;
      this.values = values;
      this.indexes = indexes;
    }

    /** A part for each of 17 numbers, joined. */
    private static String seventeenTimes(String part) {
      return IntStream.rangeClosed(1, 17).mapToObj(part::formatted).collect(Collectors.joining());
    }

    /** The names in arguments, as a regular expression. */
    public static String names() {
      return Arrays.stream(values())
          .map(kind -> kind.name().toLowerCase(Locale.ROOT))
          .collect(Collectors.joining("|"));
    }

    /** By its name in arguments. */
    public static Kind of(String name) {
      return valueOf(name.toUpperCase(Locale.ROOT));
    }
  }

  public List<String> names() {
    return IntStream.rangeClosed(1, count).mapToObj(i -> "t" + i).toList();
  }

  /** Rows of all together. */
  public long allRows() {
    return (long) rows * count;
  }

  /** Empty, with their keys. */
  public void create(Database database) throws SQLException {
    for (String name : names()) {
      database.execute(
          "CREATE TABLE " + name + " " + kind.columns,
          "ALTER TABLE " + name + " ADD PRIMARY KEY (id)");
    }
  }

  /** With rows, keys and indexes. */
  public void fill(Database database) throws SQLException {
    for (String name : names()) {
      List<String> statements = new ArrayList<>();
      statements.add("CREATE TABLE " + name + " " + kind.columns);
      statements.add(
          "INSERT INTO %s SELECT %s FROM generate_series(1, %d) i"
              .formatted(name, kind.values, rows));
      statements.add("ALTER TABLE " + name + " ADD PRIMARY KEY (id)");
      for (String index : kind.indexes) {
        statements.add("CREATE INDEX ON " + name + " " + index);
      }
      statements.add("VACUUM ANALYZE " + name);
      database.execute(statements);
    }
  }
}
