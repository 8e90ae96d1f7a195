package dev.sluice.bench.workload;

import java.util.List;
import java.util.Locale;

/**
 * pgbench's TPC-B: each transaction updates an account, a teller and a branch and inserts a row of
 * history: four changes.
 *
 * @param scale pgbench's scale: 100,000 accounts each
 * @param keyed whether the history has a primary key and a time with a zone, for a peer that cannot
 *     do with pgbench's own; without a key its whole rows are its identity
 */
public record Tpcb(int scale, long transactions, boolean keyed) implements Shape {

  @Override
  public String name() {
    return "tpcb";
  }

  @Override
  public String title() {
    return String.format(
        Locale.ROOT,
        "pgbench TPC-B, scale %d, %,d changes in %,d transactions%s",
        scale,
        changes(),
        transactions,
        keyed ? ", history with a key" : "");
  }

  @Override
  public List<String> tables() {
    return List.of("pgbench_accounts", "pgbench_tellers", "pgbench_branches", "pgbench_history");
  }

  @Override
  public List<String> creation() {
    String history =
        keyed
            ? "(tid int, bid int, aid int, delta int, mtime timestamptz, filler char(22),"
                + " hid bigint PRIMARY KEY)"
            : "(tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))";
    return List.of(
        "CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int, filler char(88))"
            + " WITH (fillfactor=50)",
        "CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int, filler"
            + " char(84)) WITH (fillfactor=50)",
        "CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, abalance int, filler"
            + " char(84))",
        "CREATE TABLE pgbench_history " + history,
        keyed
            ? "ALTER TABLE pgbench_history REPLICA IDENTITY DEFAULT"
            : "ALTER TABLE pgbench_history REPLICA IDENTITY FULL");
  }

  @Override
  public List<String> filling() {
    return List.of(
        "INSERT INTO pgbench_branches SELECT b, 0 FROM generate_series(1, " + scale + ") b",
        "INSERT INTO pgbench_tellers SELECT t, (t - 1) / 10 + 1, 0 FROM generate_series(1, "
            + scale * 10
            + ") t",
        "INSERT INTO pgbench_accounts SELECT a, (a - 1) / 100000 + 1, 0, '' FROM"
            + " generate_series(1, "
            + scale * 100_000
            + ") a");
  }

  @Override
  public long changes() {
    return 4 * transactions;
  }

  @Override
  public String variables() {
    return "a int; t int; b int; d int;";
  }

  @Override
  public String transaction() {
    return """
        a := 1 + floor(random() * 100000 * %1$d);
        t := 1 + floor(random() * 10 * %1$d);
        b := 1 + floor(random() * %1$d);
        d := -5000 + floor(random() * 10001);
        UPDATE pgbench_accounts SET abalance = abalance + d WHERE aid = a;
        UPDATE pgbench_tellers SET tbalance = tbalance + d WHERE tid = t;
        UPDATE pgbench_branches SET bbalance = bbalance + d WHERE bid = b;
        INSERT INTO pgbench_history VALUES (t, b, a, d, clock_timestamp(), NULL%2$s);
        """
        .formatted(scale, keyed ? ", i" : "");
  }
}
