package dev.sluice.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks for ports on loopback that nobody listens on. The system names a port again as soon as it
 * is let go of, often the same one in a row; so this remembers what it has given out and gives each
 * port of a process once.
 */
public final class FreePort {
  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private FreePort() {}

  /** One that was free a moment ago; another process may take it first. */
  public static int find() throws IOException {
    while (true) {
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        if (GIVEN.add(socket.getLocalPort())) {
          return socket.getLocalPort();
        }
      }
    }
  }

  /**
   * Takes a port that was chosen earlier, so that {@link #find} names it to nobody else.
   *
   * @return false where another listens on it
   */
  static boolean claim(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      GIVEN.add(port);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
