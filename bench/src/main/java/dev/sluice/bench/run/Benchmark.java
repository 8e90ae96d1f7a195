package dev.sluice.bench.run;

import java.io.PrintStream;

/** A command that measures something and prints a table. */
public interface Benchmark {

  /** What it can be told. */
  Arguments arguments();

  /** Runs and prints, and stops everything that it started. */
  void run(Arguments arguments, PrintStream out) throws Exception;

  /**
   * Runs it as a process of its own: ends with 0, with 2 for bad arguments, with 1 for a failure.
   */
  static void main(Benchmark benchmark, String... given) {
    int exitCode = 0;
    try {
      benchmark.run(benchmark.arguments().read(given), System.out);
    } catch (Arguments.Refused e) {
      (e.exitCode() == 0 ? System.out : System.err).println(e.getMessage());
      exitCode = e.exitCode();
    } catch (Exception e) {
      System.err.println("failed: " + e);
      e.printStackTrace();
      exitCode = 1;
    }
    System.exit(exitCode);
  }
}
