package dev.sluice.config.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class WatchedSocketTest {
  private static final Duration SHORT = Duration.ofMillis(50);

  @Test
  void aReadWaitsForASilentHostThatAcceptsConnections() throws Exception {
    try (ServerSocket server = listening(50);
        WatchedSocket socket = connected(server, 1);
        Socket accepted = server.accept()) {
      CompletableFuture<Integer> read = read(socket);
      // Each probe is a connection of its own that ends at once.
      for (int i = 0; i < 3; i++) {
        try (Socket probe = server.accept()) {
          assertThat(probe.getInputStream().read()).isEqualTo(-1);
        }
      }
      assertThat(read).isNotDone();
      accepted.getOutputStream().write(7);
      assertThat(read.join()).isEqualTo(7);
    }
  }

  @Test
  void aHostThatRefusesConnectionsIsReachable() throws Exception {
    ServerSocket server = listening(50);
    try (WatchedSocket socket = connected(server, 1);
        Socket accepted = server.accept()) {
      CompletableFuture<Integer> read = read(socket);
      server.close();
      Thread.sleep(10 * SHORT.toMillis());
      assertThat(read).isNotDone();
      accepted.getOutputStream().write(7);
      assertThat(read.join()).isEqualTo(7);
    }
  }

  /** On Linux a listener whose queue is full answers no further connection at all. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aReadFailsIfTheHostNoLongerAnswers() throws Exception {
    List<Socket> queued = new ArrayList<>();
    try (ServerSocket server = listening(1);
        WatchedSocket socket = connected(server, 3);
        Socket accepted = server.accept()) {
      assertThat(accepted.isConnected()).isTrue();
      fill(server, queued);
      assertThatThrownBy(() -> read(socket).get(5, TimeUnit.MINUTES))
          .rootCause()
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("does not answer")
          .hasMessageContaining("3 new connections in a row");
    } finally {
      for (Socket each : queued) {
        each.close();
      }
    }
  }

  @Test
  void theReadTimeoutOfTheCallerStillHolds() throws Exception {
    try (ServerSocket server = listening(50);
        WatchedSocket socket = connected(server, 1);
        Socket accepted = server.accept()) {
      assertThat(accepted.isConnected()).isTrue();
      socket.setSoTimeout(1);
      assertThat(socket.getSoTimeout()).isEqualTo(1);
      assertThatThrownBy(() -> socket.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);
      socket.setSoTimeout((int) SHORT.multipliedBy(3).toMillis());
      assertThatThrownBy(() -> socket.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theDriverGetsSocketsWithShortKeepAlives() throws Exception {
    try (Socket socket = new WatchedSockets().createSocket()) {
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(30);
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL)).isEqualTo(10);
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT)).isEqualTo(3);
    }
  }

  /** Connections that nobody accepts, until another one gets no answer. */
  private static void fill(ServerSocket server, List<Socket> queued) throws IOException {
    while (true) {
      Socket socket = new Socket();
      queued.add(socket);
      try {
        socket.connect(server.getLocalSocketAddress(), 500);
      } catch (SocketTimeoutException e) {
        return;
      }
    }
  }

  private static ServerSocket listening(int backlog) throws IOException {
    return new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
  }

  private static WatchedSocket connected(ServerSocket server, int probes) throws IOException {
    WatchedSocket socket = new WatchedSocket(SHORT, SHORT.multipliedBy(2), probes);
    socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()));
    return socket;
  }

  private static CompletableFuture<Integer> read(WatchedSocket socket) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return socket.getInputStream().read();
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
  }
}
