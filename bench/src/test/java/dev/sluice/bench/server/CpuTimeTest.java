package dev.sluice.bench.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuTimeTest {
  /** Children that work for a moment each, one after the other, and are waited for. */
  private static final String CHILDREN =
      "for i in $(seq 100); do bash -c 'for j in $(seq 12000); do :; done'; done; echo all; read end";

  @Test
  void theTimeOfProcessesThatEndIsNeverLostNorCountedTwice() throws Exception {
    Process shell = new ProcessBuilder("bash", "-c", CHILDREN).start();
    List<Double> met = new ArrayList<>();
    try {
      while (shell.getInputStream().available() == 0) {
        met.add(CpuTime.ofTree(shell.pid()));
      }
      met.add(CpuTime.ofTree(shell.pid()));
      assertThat(met).isSorted().last().satisfies(total -> assertThat(total).isPositive());
    } finally {
      shell.destroyForcibly();
    }
  }
}
