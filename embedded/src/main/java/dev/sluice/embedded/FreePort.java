package dev.sluice.embedded;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks for ports on loopback that nobody listens on, for servers that are told their port before
 * they start: until then nobody guards it. So a process gives from {@linkplain PortBlock blocks}
 * that it holds until it ends, and gives each port once. A server that takes a bound socket needs
 * no look: see {@link BrokerSockets}.
 */
public final class FreePort {
  private static final List<PortBlock> HELD = new ArrayList<>();

  private FreePort() {}

  /**
   * One that was free a moment ago, and that this class gives to no other process.
   *
   * @throws IOException where this and other processes hold all there are
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
