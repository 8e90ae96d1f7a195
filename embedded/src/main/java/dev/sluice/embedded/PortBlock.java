package dev.sluice.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * A block of neighbouring ports on loopback, held by one process: it listens on the first, so that
 * other processes with this class skip the block. The ports are below the range from which the
 * system assigns ports to other processes and outgoing connections. Used by one thread at a time.
 */
final class PortBlock implements AutoCloseable {
  static final int FIRST = 20_000;
  static final int SIZE = 50;
  static final int COUNT = 240;

  private final ServerSocket guard;
  private int next;

  private PortBlock(ServerSocket guard) {
    this.guard = guard;
    next = guard.getLocalPort() + 1;
  }

  /**
   * Takes the first free block.
   *
   * @param start any number; where to begin, so that processes do not all try the same blocks
   * @throws IOException if other processes hold all of them
   */
  static PortBlock hold(long start) throws IOException {
    for (int tried = 0; tried < COUNT; tried++) {
      int first = FIRST + (int) Math.floorMod(start + tried, (long) COUNT) * SIZE;
      try {
        return new PortBlock(listenOn(first));
      } catch (IOException e) {
        // Another process holds it, or some server listens there: the next one.
      }
    }
    throw new IOException(
        "all ports on loopback from %d to %d are held by others"
            .formatted(FIRST, FIRST + COUNT * SIZE - 1));
  }

  boolean isGiven() {
    return next == guard.getLocalPort() + SIZE;
  }

  /** The next port of the block; another server may listen on it already. */
  int next() {
    return next++;
  }

  static boolean isFree(int port) {
    try (ServerSocket socket = listenOn(port)) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  private static ServerSocket listenOn(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    guard.close();
  }
}
