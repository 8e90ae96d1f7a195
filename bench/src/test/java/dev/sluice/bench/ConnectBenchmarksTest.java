package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.bench.connect.ConnectPlugins;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.server.ServerPair;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The benchmarks in a real worker, in their smallest size, and what they find wrong on the target;
 * nothing is said of the figures. The plugin must be packed before, as {@code mvn verify} does.
 */
@Tag("soak")
class ConnectBenchmarksTest {
  private static ServerPair servers;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(
        ConnectPlugins.arePacked(),
        "Sluice's plugin is not packed, which the phase package does: mvn verify");
    servers = ServerPair.start();
  }

  @AfterAll
  static void stop() {
    if (servers != null) {
      servers.close();
    }
  }

  @Test
  void sluiceLeavesEachKindOfChangeAsOnTheSourceAndThePeerDoesNot() throws Exception {
    String printed = run(new ConnectBenchmark(), "size=0.0005", "poll=500", "heap=512", "runs=1");
    assertThat(printed)
        .containsPattern("\\| Debezium's JDBC sink \\| [0-9]")
        .containsPattern("\\| Debezium's JDBC sink, UNNEST \\| [0-9]")
        .containsPattern("\\| Sluice, tables \\| [0-9]")
        .containsPattern("\\| Sluice, tables-with-transactions \\| [0-9]")
        .containsPattern("\\| Sluice, ordered \\| [0-9]")
        .containsPattern("\\| Sluice, ordered, behind the converter \\| [0-9]")
        .containsPattern("\\| Sluice, ordered, BinaryConverter \\| [0-9]");
    assertThat(printed.lines().filter(line -> line.startsWith("| a ") || line.contains("TOAST")))
        .hasSizeGreaterThan(3)
        .allMatch(line -> line.endsWith("| as on the source |"));
    assertThat(printed.lines().filter(line -> line.contains("TOAST")))
        .allMatch(line -> line.contains("that the source does not have**"));
  }

  @Test
  void everyNumberOfTasksIsMeasured() throws Exception {
    String printed =
        run(new ConnectScaleBenchmark(), "size=0.002", "tasks=1,2", "heap=512", "runs=1");
    assertThat(printed)
        .contains("8 tables equal")
        .containsPattern("\\| Sluice, tables \\| [0-9]")
        .containsPattern("\\| Sluice, tables, 2 tasks \\| [0-9]");
  }

  private static String run(Benchmark benchmark, String... arguments) throws Exception {
    return SmallestRun.of(benchmark, servers, arguments);
  }
}
