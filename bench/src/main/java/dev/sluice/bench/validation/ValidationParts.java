package dev.sluice.bench.validation;

import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.server.ServerPair;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

/** Runs the chosen parts. Stateless. */
public final class ValidationParts {
  private ValidationParts() {}

  /** Declares the arguments of all parts. */
  public static Arguments declare(Arguments arguments) {
    return arguments
        .with(
            "parts",
            "soak,pass,resync,cost",
            "(soak|pass|resync|cost)(,(soak|pass|resync|cost))*",
            "which")
        .withCount("rate", 5000, "soak: row changes per second")
        .withNumber("seconds", "3600", "soak: how long before faults are planted")
        .withCount("duty", 50, "soak: ValidationDutyCycle, in percent")
        .withCount("faults", 1000, "soak: planted on the target")
        .withCount("rows", 1_000_000, "pass: of the table")
        .withCount("runs", 3, "pass, cost: of each contender")
        .withCount("resync-rows", 10_000_000, "resync: of the table")
        .withCount("resync-rate", 500, "resync: row changes per second")
        .withNumber("cost-seconds", "60", "cost: of each run, at least")
        .withCount("cost-rate", 300, "cost: transactions per second");
  }

  public static void run(Arguments arguments, ServerPair servers, PrintStream out)
      throws Exception {
    List<String> parts = List.of(arguments.text("parts").split(","));
    if (parts.contains("soak")) {
      new Soak(
              arguments.count("rate"),
              Duration.ofMillis(Math.round(arguments.number("seconds") * 1000)),
              arguments.count("duty"),
              arguments.count("faults"))
          .run(servers, out);
    }
    if (parts.contains("pass")) {
      new FirstPass(arguments.count("rows"), arguments.count("runs")).run(servers, out);
    }
    if (parts.contains("resync")) {
      new ResyncAgainstReload(arguments.count("resync-rows"), arguments.count("resync-rate"))
          .run(servers, out);
    }
    if (parts.contains("cost")) {
      new Cost(
              arguments.count("cost-rate"),
              Duration.ofMillis(Math.round(arguments.number("cost-seconds") * 1000)),
              arguments.count("runs"))
          .run(servers, out);
    }
  }
}
