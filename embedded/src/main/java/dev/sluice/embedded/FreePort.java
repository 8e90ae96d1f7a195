package dev.sluice.embedded;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds free ports on loopback for servers that need their port number before they start. Until
 * then the port is not bound, so a process uses {@linkplain PortBlock blocks} that it holds until
 * it ends, and each port once. A server that accepts a bound socket uses {@link BrokerSockets}
 * instead.
 */
public final class FreePort {
  private static final List<PortBlock> HELD = new ArrayList<>();

  private FreePort() {}

  /**
   * Returns a port that was just free, and that this class gives to no other process.
   *
   * @throws IOException if this and other processes hold all ports
   */
  public static synchronized int find() throws IOException {
    while (true) {
      PortBlock block = HELD.isEmpty() ? null : HELD.get(HELD.size() - 1);
      if (block == null || block.isGiven()) {
        HELD.add(PortBlock.hold(ProcessHandle.current().pid()));
        continue;
      }
      int port = block.next();
      if (PortBlock.isFree(port)) {
        return port;
      }
    }
  }
}
