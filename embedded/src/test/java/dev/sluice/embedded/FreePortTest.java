package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Alone: it listens on ports that servers of other tests may have been given just now. */
@Isolated
class FreePortTest {
  @Test
  void givesEachPortOfAProcessOnce() throws IOException {
    Set<Integer> found = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      assertThat(found.add(FreePort.find())).as("port %d of 300 is new", i).isTrue();
    }
  }

  @Test
  void liesBelowWhatTheSystemTakesForOutgoingConnections() throws IOException {
    assertThat(FreePort.find()).isBetween(20_000, 31_999);
  }

  @Test
  void passesOverAPortThatAnotherListensOn() throws IOException {
    try (ServerSocket next = listenBehind(FreePort.find())) {
      assertThat(FreePort.find()).isNotEqualTo(next.getLocalPort());
    }
  }

  /** Behind the port or a later one: the next may have been given to a server meanwhile. */
  private static ServerSocket listenBehind(int port) throws IOException {
    while (true) {
      try {
        return new ServerSocket(port + 1, 1, InetAddress.getLoopbackAddress());
      } catch (BindException e) {
        port = FreePort.find();
      }
    }
  }

  @Test
  void aBlockThatIsHeldIsSkipped() throws IOException {
    long start = 17;
    try (PortBlock first = PortBlock.hold(start);
        PortBlock second = PortBlock.hold(start)) {
      assertThat(portsOf(first)).hasSize(49).doesNotContainAnyElementsOf(portsOf(second));
    }
  }

  @Test
  void allBlocksAreTriedFromAnyStart() throws IOException {
    int lastBlock = PortBlock.FIRST + (PortBlock.COUNT - 1) * PortBlock.SIZE;
    try (PortBlock last = PortBlock.hold(PortBlock.COUNT - 1)) {
      // Where another process holds that block, this one has come all round already.
      if (last.next() > lastBlock) {
        try (PortBlock next = PortBlock.hold(PortBlock.COUNT - 1)) {
          assertThat(next.next()).isLessThan(lastBlock);
        }
      }
    }
  }

  private static Set<Integer> portsOf(PortBlock block) {
    Set<Integer> ports = new HashSet<>();
    while (!block.isGiven()) {
      ports.add(block.next());
    }
    return ports;
  }
}
