package dev.sluice.bench.workload;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Rows of fifty columns and about two kilobytes: each transaction inserts one and updates three
 * columns of another.
 */
public record WideRows(long transactions) implements Shape {
  private static final int NUMBERS = 20;
  private static final int AMOUNTS = 10;
  private static final int TEXTS = 19;

  @Override
  public String name() {
    return "wide-rows";
  }

  @Override
  public String title() {
    return String.format(
        Locale.ROOT,
        "wide rows, 50 columns of about 2 KB, %,d changes, half inserts, half updates",
        changes());
  }

  @Override
  public List<String> tables() {
    return List.of("bench_wide");
  }

  @Override
  public List<String> creation() {
    return List.of(
        "CREATE TABLE bench_wide (id bigint PRIMARY KEY, "
            + columns("n%d bigint", NUMBERS)
            + ", "
            + columns("a%d numeric(12,2)", AMOUNTS)
            + ", "
            + columns("t%d text", TEXTS)
            + ") WITH (fillfactor=50)");
  }

  @Override
  public List<String> filling() {
    return List.of(
        "INSERT INTO bench_wide SELECT "
            + row("g")
            + " FROM generate_series(1, "
            + transactions
            + ") g");
  }

  @Override
  public long changes() {
    return 2 * transactions;
  }

  @Override
  public String transaction() {
    return """
        INSERT INTO bench_wide SELECT %1$s;
        UPDATE bench_wide SET n1 = n1 + 1, a1 = a1 + 1, t1 = md5(n1::text) WHERE id = %2$s;
        """
        .formatted(row("-i"), Scattered.oneOf("i", transactions));
  }

  private static String columns(String format, int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(column -> String.format(Locale.ROOT, format, column))
        .collect(Collectors.joining(", "));
  }

  private static String row(String id) {
    return id
        + ", "
        + columns(id + " * %d", NUMBERS)
        + ", "
        + columns("%d.5", AMOUNTS)
        + ", "
        + columns("repeat(md5((" + id + " * %d)::text), 3)", TEXTS);
  }
}
