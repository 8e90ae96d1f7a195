package dev.sluice.bench;

import dev.sluice.bench.cutover.Applications;
import dev.sluice.bench.cutover.CutoverFigures;
import dev.sluice.bench.cutover.Pooler;
import dev.sluice.bench.cutover.ScriptedMove;
import dev.sluice.bench.cutover.WrittenTables;
import dev.sluice.bench.peer.SluiceTask;
import dev.sluice.bench.peer.Subscription;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.TimedTransactions;
import dev.sluice.embedded.FreePort;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures how long a rehearsal and a cutover stop the applications, what these notice, and whether
 * a write was lost, beside a script around native logical replication.
 */
public final class CutoverBenchmark implements Benchmark {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Pattern STOPPED = Pattern.compile("were stopped for (\\d+) ms");
  private static final String SETTINGS =
      "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ChangeProcessingTuning:"
          + " {BatchApplyTimeoutMin: 0.1}, ValidationSettings: {EnableValidation: true}}";

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
        .with("back", "yes", "yes|no", "whether each cutover of Sluice is followed by a fallback")
        .withNumber("stay", "3", "seconds of writing on the new side before a fallback")
        .withNumber("warmup", "3", "seconds of writing before a cutover");
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    List<String> rows = new ArrayList<>();
    for (String contender : arguments.text("contenders").split(",")) {
      CutoverFigures figures = new CutoverFigures();
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
    out.println("\n" + CutoverFigures.HEAD);
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
      ServerPair servers,
      String name,
      boolean pooled,
      boolean rehearsed,
      CutoverFigures figures)
      throws Exception {
    boolean back = arguments.text("back").equals("yes");
    int backPort = FreePort.find();
    try (SluiceTask task = new SluiceTask(servers, name, SETTINGS)) {
      WrittenTables.create(task.source());
      // Of this task alone: it owns what the way back makes.
      String role = "back_" + name;
      task.source().execute("CREATE ROLE " + role + " SUPERUSER LOGIN");
      Optional<Pooler> pooler =
          pooled
              ? Optional.of(Pooler.start(servers.newFolder(name), task.source(), task.target()))
              : Optional.empty();
      task.with(sections(pooler, role, back ? OptionalInt.of(backPort) : OptionalInt.empty()));
      task.start();
      if (back) {
        task.arm(backPort);
      }
      try (Applications applications =
          Applications.start(
              pooler.map(Pooler::address).orElse(address(task.source())),
              arguments.count("applications"),
              arguments.count("rate"))) {
        pause(arguments, "warmup");
        for (int i = 0; rehearsed && i < arguments.count("rehearsals"); i++) {
          rehearse(task, applications, arguments.text("budget"), figures);
        }
        String budget = arguments.text("budget");
        move(task, applications, "cutover", budget, figures.there);
        goOn(applications, pooled, task.target(), figures.there);
        if (back) {
          task.awaitFollowedBack();
          pause(arguments, "stay");
          move(task, applications, "fallback", budget, figures.back);
          goOn(applications, pooled, task.source(), figures.back);
        }
        applications.end();
        figures.lost += applications.lost(back ? task.source() : task.target());
        WrittenTables.requireEqual(
            back ? task.target() : task.source(), back ? task.source() : task.target());
      } finally {
        pooler.ifPresent(Pooler::close);
      }
    }
  }

  private static void pause(Arguments arguments, String time) throws InterruptedException {
    Thread.sleep(Math.round(arguments.number(time) * 1000));
  }

  private static String sections(Optional<Pooler> pooler, String role, OptionalInt backPort) {
    String there = pooler.map(held -> "cutover:\n" + held.hooks()).orElse("");
    return backPort.isEmpty()
        ? there
        : there
            + """
            fallback:
              user: %s
              password: x
              http: 127.0.0.1:%d
            """
                .formatted(role, backPort.getAsInt())
            + pooler.map(Pooler::hooksBack).orElse("");
  }

  private static void rehearse(
      SluiceTask task, Applications applications, String budget, CutoverFigures figures) {
    applications.takeLongest();
    int code = task.command("rehearse", "--budget", budget, "--accept", "not-proven");
    Matcher stopped = STOPPED.matcher(task.printed());
    if (code == 0 && stopped.find()) {
      figures.rehearsed.add(Double.parseDouble(stopped.group(1)));
      figures.rehearsedWait.add(millis(applications.takeLongest()));
    } else {
      figures.there.givenUp(task.printed());
    }
  }

  /** Runs a command that moves the applications until it succeeds. */
  private static void move(
      SluiceTask task,
      Applications applications,
      String command,
      String budget,
      CutoverFigures.Moves moves) {
    for (int attempt = 1; ; attempt++) {
      applications.takeLongest();
      moves.begin(applications.errors());
      int code =
          task.command(
              command, "--budget", budget, "--accept", "not-proven", "--accept", "missing-owner");
      if (code == 0) {
        Matcher verdict = VERDICT.matcher(task.printed());
        moves.verdict(verdict.find() ? Double.parseDouble(verdict.group(1)) * 1000 : 0);
        return;
      }
      moves.givenUp(task.printed());
      if (attempt == 20) {
        throw new IllegalStateException("no " + command + " is possible: " + task.printed());
      }
    }
  }

  /** Waits until every application goes on at the other side. */
  private static void goOn(
      Applications applications, boolean pooled, Database side, CutoverFigures.Moves moves)
      throws InterruptedException {
    if (!pooled) {
      applications.moveTo(address(side));
    }
    applications.awaitEach(LIMIT);
    moves.end(millis(applications.takeLongest()), applications.errors());
  }

  private static void scripted(
      Arguments arguments, ServerPair servers, String name, CutoverFigures figures)
      throws Exception {
    Database source = ServerPair.create(servers.source("source_" + name));
    Database target = ServerPair.create(servers.target("target_" + name));
    WrittenTables.create(source);
    TimedTransactions.createSource(source);
    WrittenTables.create(target);
    source.execute("DROP ROLE IF EXISTS app", "CREATE ROLE app LOGIN SUPERUSER");
    ServerPair.createSlot(source, name);
    try (Subscription subscription = Subscription.create(source, target, name, "bench");
        Applications applications =
            Applications.start(
                source.jdbcUrl() + "?user=app",
                arguments.count("applications"),
                arguments.count("rate"))) {
      subscription.enable();
      Thread.sleep(Math.round(arguments.number("warmup") * 1000));
      applications.takeLongest();
      figures.there.begin(applications.errors());
      figures.there.verdict(millis(ScriptedMove.run(source, target, name, "app")));
      applications.moveTo(address(target));
      source.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
      applications.awaitEach(LIMIT);
      figures.there.end(millis(applications.takeLongest()), applications.errors());
      applications.end();
      figures.lost += applications.lost(target);
      WrittenTables.requireEqual(source, target);
    }
    source.execute("DROP ROLE app");
    ServerPair.dropSlot(source, name);
  }

  private static String address(Database database) {
    return database.jdbcUrl() + "?user=" + Database.USER;
  }

  private static double millis(Duration time) {
    return time.toNanos() / 1e6;
  }
}
