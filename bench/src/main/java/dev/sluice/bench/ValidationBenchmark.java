package dev.sluice.bench;

import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.validation.ValidationParts;
import java.io.PrintStream;

/**
 * Measures the validation: false and missed differences under traffic, the time of one pass, and a
 * resync beside a reload.
 */
public final class ValidationBenchmark implements Benchmark {

  public static void main(String... arguments) {
    Benchmark.main(new ValidationBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return ValidationParts.declare(
        new Arguments(
            "bench/validation: validates a moving pair of databases and finds planted faults; one"
                + " pass beside COPY and DMS's way; a resync beside a reload"));
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    out.println(Conditions.of(servers, arguments.text("parts")));
    ValidationParts.run(arguments, servers, out);
  }
}
