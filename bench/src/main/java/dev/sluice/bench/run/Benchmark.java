package dev.sluice.bench.run;

import dev.sluice.bench.server.ServerPair;
import java.io.IOException;
import java.io.PrintStream;
import org.slf4j.LoggerFactory;

/** A command that measures something and prints a table. */
public interface Benchmark {

  /** Its arguments. */
  Arguments arguments();

  /** Those that it runs on. */
  default ServerPair servers(Arguments arguments) throws IOException {
    return ServerPair.start();
  }

  /**
   * Runs and prints, and stops everything that it started.
   *
   * @param servers without databases of benchmarks; stay the caller's
   */
  void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception;

  /**
   * Runs it as a process of its own: ends with 0, with 2 for bad arguments, with 1 for a failure.
   */
  static void main(Benchmark benchmark, String... given) {
    int exitCode = 0;
    try {
      Arguments arguments = benchmark.arguments().read(given);
      // Opens the log, so that its cost is not measured with the first contender.
      LoggerFactory.getILoggerFactory();
      try (ServerPair servers = benchmark.servers(arguments)) {
        benchmark.run(arguments, servers, System.out);
      }
    } catch (Arguments.Refused e) {
      (e.exitCode() == 0 ? System.out : System.err).println(e.getMessage());
      exitCode = e.exitCode();
    } catch (Exception | Error e) {
      System.err.println("failed: " + e);
      e.printStackTrace();
      exitCode = 1;
    }
    System.exit(exitCode);
  }
}
