package dev.sluice.bench;

import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.server.ServerPair;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Runs a benchmark in the test's process. */
final class SmallestRun {
  private SmallestRun() {}

  /** Runs it to its end, and returns what it prints. */
  static String of(Benchmark benchmark, ServerPair servers, String... arguments) throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    benchmark.run(
        benchmark.arguments().read(arguments),
        servers,
        new PrintStream(printed, true, StandardCharsets.UTF_8));
    return printed.toString(StandardCharsets.UTF_8);
  }
}
