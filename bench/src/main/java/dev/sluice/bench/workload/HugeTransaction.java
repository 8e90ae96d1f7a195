package dev.sluice.bench.workload;

import java.util.List;
import java.util.Locale;

/** One transaction that inserts many rows. */
public record HugeTransaction(long rows) implements Shape {

  @Override
  public String name() {
    return "huge-transaction";
  }

  @Override
  public String title() {
    return String.format(Locale.ROOT, "one transaction of %,d rows", rows);
  }

  @Override
  public List<String> tables() {
    return List.of("bench_huge");
  }

  @Override
  public List<String> creation() {
    return List.of(
        "CREATE TABLE bench_huge (id bigint PRIMARY KEY, code int, filler text NOT NULL)");
  }

  @Override
  public List<String> filling() {
    return List.of();
  }

  @Override
  public long transactions() {
    return 1;
  }

  @Override
  public long changes() {
    return rows;
  }

  @Override
  public String transaction() {
    return """
        INSERT INTO bench_huge
          SELECT g, g %% 1000, repeat(md5(g::text), 3) FROM generate_series(1, %d) g;
        """
        .formatted(rows);
  }
}
