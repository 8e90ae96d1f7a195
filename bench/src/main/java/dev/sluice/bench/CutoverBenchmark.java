package dev.sluice.bench;

import dev.sluice.bench.cutover.Applications;
import dev.sluice.bench.cutover.Pooler;
import dev.sluice.bench.cutover.ScriptedMove;
import dev.sluice.bench.peer.SluiceTask;
import dev.sluice.bench.peer.Subscription;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Servers;
import dev.sluice.bench.workload.TimedTransactions;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures how long a rehearsal and a cutover stop the applications, what these notice, and whether
 * a write was lost, beside a script around native logical replication.
 */
public final class CutoverBenchmark implements Benchmark {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Pattern STOPPED = Pattern.compile("were stopped for (\\d+) ms");
  private static final Pattern VERDICT = Pattern.compile("to the verdict: ([0-9.]+) s");

  public static void main(String... arguments) {
    Benchmark.main(new CutoverBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/cutover: how long a cutover stops the applications, and what they notice")
        .with(
            "contenders",
            "sluice,script",
            "(sluice|pooled|script)(,(sluice|pooled|script))*",
            "which; pooled is Sluice with applications behind pgbouncer, which must be installed")
        .withCount("rate", 1000, "transactions per second")
        .withCount("applications", 8, "connections")
        .withCount("rehearsals", 20, "before the first cutover of each contender")
        .withCount("cutovers", 5, "of each contender, each with databases of its own")
        .withNumber("budget", "5", "of a cutover, in seconds")
        .withNumber("warmup", "3", "seconds of writing before a cutover");
  }

  @Override
  public void run(Arguments arguments, Servers servers, PrintStream out) throws Exception {
    List<String> rows = new ArrayList<>();
    for (String contender : arguments.text("contenders").split(",")) {
      Figures figures = new Figures();
      for (int i = 1; i <= arguments.count("cutovers"); i++) {
        String name = contender + "_" + i;
        if (contender.equals("script")) {
          scripted(arguments, servers, name, figures);
        } else {
          move(arguments, servers, name, contender.equals("pooled"), i == 1, figures);
        }
        out.println(contender + " " + i + ": " + figures);
      }
      rows.add(figures.row(title(contender)));
    }
    out.println();
    out.println(
        Conditions.of(
            servers,
            String.format(
                Locale.ROOT,
                "%,d transactions/s of an update and an insert on %d connections, budget %s s",
                arguments.count("rate"),
                arguments.count("applications"),
                arguments.text("budget"))));
    out.println(
        "\n| what | rehearsals: writers stopped ms p50, p99, max | longest transaction ms p50, max"
            + " | cutovers: to the verdict ms p50, max | longest transaction ms p50, max | errors of"
            + " applications per cutover | given up | acknowledged writes lost |\n"
            + "| --- | --- | --- | --- | --- | --- | --- | --- |");
    rows.forEach(out::println);
  }

  private static String title(String contender) {
    return switch (contender) {
      case "sluice" -> "Sluice";
      case "pooled" -> "Sluice, through pgbouncer";
      default -> "native replication and a script";
    };
  }

  private static void move(
      Arguments arguments,
      Servers servers,
      String name,
      boolean pooled,
      boolean rehearsed,
      Figures figures)
      throws Exception {
    try (SluiceTask task =
        new SluiceTask(
            servers,
            name,
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ChangeProcessingTuning:"
                + " {BatchApplyTimeoutMin: 0.1}, ValidationSettings:"
                + " {EnableValidation: true}}")) {
      TimedTransactions.createTables(task.source());
      Optional<Pooler> pooler =
          pooled
              ? Optional.of(Pooler.start(servers.newFolder(name), task.source(), task.target()))
              : Optional.empty();
      pooler.ifPresent(held -> task.with(held.hooks()));
      task.start();
      try (Applications applications =
          Applications.start(
              pooler.map(Pooler::address).orElse(address(task.source())),
              arguments.count("applications"),
              arguments.count("rate"))) {
        Thread.sleep(Math.round(arguments.number("warmup") * 1000));
        for (int i = 0; rehearsed && i < arguments.count("rehearsals"); i++) {
          rehearse(task, applications, arguments.text("budget"), figures);
        }
        cutOver(task, applications, pooled, arguments.text("budget"), figures);
        applications.awaitEach(LIMIT);
        applications.end();
        figures.lost += applications.lost(task.target());
      } finally {
        pooler.ifPresent(Pooler::close);
      }
    }
  }

  private static void rehearse(
      SluiceTask task, Applications applications, String budget, Figures figures) {
    applications.takeLongest();
    int code = task.command("rehearse", "--budget", budget, "--accept", "not-proven");
    Matcher stopped = STOPPED.matcher(task.printed());
    if (code == 0 && stopped.find()) {
      figures.rehearsed.add(Double.parseDouble(stopped.group(1)));
      figures.rehearsedWait.add(millis(applications.takeLongest()));
    } else {
      figures.givenUp++;
      figures.last = task.printed();
    }
  }

  private static void cutOver(
      SluiceTask task, Applications applications, boolean pooled, String budget, Figures figures)
      throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      applications.takeLongest();
      long errors = applications.errors();
      int code = task.command("cutover", "--budget", budget, "--accept", "not-proven");
      if (code == 0) {
        Matcher verdict = VERDICT.matcher(task.printed());
        if (!pooled) {
          applications.moveTo(address(task.target()));
        }
        applications.awaitEach(LIMIT);
        figures.moved.add(verdict.find() ? Double.parseDouble(verdict.group(1)) * 1000 : 0);
        figures.movedWait.add(millis(applications.takeLongest()));
        figures.errors += applications.errors() - errors;
        return;
      }
      figures.givenUp++;
      if (attempt == 20) {
        throw new IllegalStateException("no cutover is possible: " + task.printed());
      }
    }
  }

  private static void scripted(Arguments arguments, Servers servers, String name, Figures figures)
      throws Exception {
    Database source = Servers.create(servers.source("source_" + name));
    Database target = Servers.create(servers.target("target_" + name));
    TimedTransactions.createTables(source);
    TimedTransactions.createSource(source);
    TimedTransactions.createTables(target);
    source.execute("DROP ROLE IF EXISTS app", "CREATE ROLE app LOGIN SUPERUSER");
    Servers.createSlot(source, name);
    try (Subscription subscription = Subscription.create(source, target, name, "bench");
        Applications applications =
            Applications.start(
                source.jdbcUrl() + "?user=app",
                arguments.count("applications"),
                arguments.count("rate"))) {
      subscription.enable();
      Thread.sleep(Math.round(arguments.number("warmup") * 1000));
      applications.takeLongest();
      long errors = applications.errors();
      figures.moved.add(millis(ScriptedMove.run(source, name, "app")));
      applications.moveTo(address(target));
      source.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
      applications.awaitEach(LIMIT);
      figures.movedWait.add(millis(applications.takeLongest()));
      figures.errors += applications.errors() - errors;
      applications.end();
      figures.lost += applications.lost(target);
    }
    source.execute("DROP ROLE app");
    Servers.dropSlot(source, name);
  }

  private static String address(Database database) {
    return database.jdbcUrl() + "?user=" + Database.USER;
  }

  private static double millis(Duration time) {
    return time.toNanos() / 1e6;
  }

  /** What was measured of a contender. */
  private static final class Figures {
    private final List<Double> rehearsed = new ArrayList<>();
    private final List<Double> rehearsedWait = new ArrayList<>();
    private final List<Double> moved = new ArrayList<>();
    private final List<Double> movedWait = new ArrayList<>();
    private long errors;
    private int givenUp;
    private long lost;
    private String last = "";

    private static String quantiles(List<Double> values, double... quantiles) {
      if (values.isEmpty()) {
        return "";
      }
      List<Double> sorted = values.stream().sorted().toList();
      List<String> shown = new ArrayList<>();
      for (double quantile : quantiles) {
        int at = (int) Math.ceil(quantile * sorted.size()) - 1;
        shown.add(String.format(Locale.ROOT, "%.0f", sorted.get(Math.max(0, at))));
      }
      return String.join(", ", shown);
    }

    String row(String title) {
      return "| %s | %s | %s | %s | %s | %.1f | %d | %d |"
          .formatted(
              title,
              quantiles(rehearsed, 0.5, 0.99, 1),
              quantiles(rehearsedWait, 0.5, 1),
              quantiles(moved, 0.5, 1),
              quantiles(movedWait, 0.5, 1),
              (double) errors / Math.max(1, moved.size()),
              givenUp,
              lost);
    }

    @Override
    public String toString() {
      return row("so far") + (last.isEmpty() ? "" : " last failure: " + last);
    }
  }
}
