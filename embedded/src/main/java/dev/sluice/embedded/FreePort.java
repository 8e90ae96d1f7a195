package dev.sluice.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Looks for ports on loopback that nobody listens on. A port that the system names is one that it
 * names again as soon as it is let go of, also to another process, or that an outgoing connection
 * takes; so these lie below the range the system takes its own from, each process begins at a place
 * of its own, and a port is given once.
 */
public final class FreePort {
  private static final int FIRST = 20_000;
  private static final int END = 32_000;

  /** Places of processes are this far apart; few need as many ports. */
  private static final int SHARE = 60;

  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * SHARE % (END - FIRST)));

  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private FreePort() {}

  /**
   * One that was free a moment ago; another process may take it first.
   *
   * @throws IOException where the process has been given all there are
   */
  public static int find() throws IOException {
    for (int looks = FIRST; looks < END; looks++) {
      int port = FIRST + NEXT.getAndUpdate(next -> (next + 1) % (END - FIRST));
      if (!GIVEN.contains(port) && claim(port)) {
        return port;
      }
    }
    throw new IOException("no free port on loopback from %d to %d".formatted(FIRST, END - 1));
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
