package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortTest {
  @Test
  void givesEachPortOfAProcessOnce() throws IOException {
    Set<Integer> found = new HashSet<>();
    for (int i = 0; i < 3000; i++) {
      assertThat(found.add(FreePort.find())).as("port %d of 3000 is new", i).isTrue();
    }
  }

  @Test
  void liesBelowWhatTheSystemTakesForOutgoingConnections() throws IOException {
    assertThat(FreePort.find()).isBetween(20_000, 31_999);
  }

  @Test
  void passesOverAPortThatAnotherListensOn() throws IOException {
    int port = FreePort.find();
    try (ServerSocket next = new ServerSocket(port + 1, 1, InetAddress.getLoopbackAddress())) {
      assertThat(FreePort.find()).isNotEqualTo(next.getLocalPort());
    }
  }

  @Test
  void refusesAPortThatAnotherListensOnAndGivesAClaimedOneToNobodyElse() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
      assertThat(FreePort.claim(port)).isFalse();
    }
    assertThat(FreePort.claim(port)).isTrue();
    for (int i = 0; i < 3000; i++) {
      assertThat(FreePort.find()).isNotEqualTo(port);
    }
  }
}
