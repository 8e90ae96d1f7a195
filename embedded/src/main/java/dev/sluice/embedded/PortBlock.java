package dev.sluice.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * Neighbouring ports on loopback that one process gives from: it holds them, against others that
 * look here too, by listening on the first. They lie below the range from which the system takes
 * its own ports: one of those it names again as soon as it is let go of, also to another process,
 * or to an outgoing connection. Used by one thread at a time.
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
   * Takes the first that nobody holds.
   *
   * @param start where to begin, so that processes do not all look at the same ones: any number
   * @throws IOException where other processes hold all of them
   */
  static PortBlock hold(long start) throws IOException {
    for (int looks = 0; looks < COUNT; looks++) {
      int first = FIRST + (int) Math.floorMod(start + looks, (long) COUNT) * SIZE;
      try {
        return new PortBlock(listenOn(first));
      } catch (IOException e) {
        // Held, or a server of another kind listens there: the next one.
      }
    }
    throw new IOException(
        "all ports on loopback from %d to %d are held by others"
            .formatted(FIRST, FIRST + COUNT * SIZE - 1));
  }

  boolean isGiven() {
    return next == guard.getLocalPort() + SIZE;
  }

  /** The next port, which something may listen on already. */
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
