package dev.sluice.config.net;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.function.UnaryOperator;
import javax.net.SocketFactory;

/**
 * Creates the sockets of all sessions on source and target: see {@link WatchedSocket}. The JDBC
 * driver loads it by name. Immutable, threadsafe.
 */
public final class WatchedSockets extends SocketFactory {
  /** The JDBC property whose value is the name of this class. */
  public static final String PROPERTY = "socketFactory";

  private static final Duration SILENCE = Duration.ofSeconds(30);
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(10);
  private static final int PROBES = 3;

  /** Called by the driver. */
  public WatchedSockets() {}

  @Override
  public Socket createSocket() throws IOException {
    return new WatchedSocket(SILENCE, PROBE_TIMEOUT, PROBES);
  }

  /**
   * A socket that is not connected yet.
   *
   * @param reading makes of the stream of what the other side sends the one that is read
   */
  public static Socket reading(UnaryOperator<InputStream> reading) throws IOException {
    return new WatchedSocket(SILENCE, PROBE_TIMEOUT, PROBES, reading);
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return connected(new InetSocketAddress(host, port), null);
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return connected(
        new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return connected(new InetSocketAddress(host, port), null);
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return connected(
        new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
  }

  private Socket connected(InetSocketAddress remote, InetSocketAddress local) throws IOException {
    Socket socket = createSocket();
    try {
      if (local != null) {
        socket.bind(local);
      }
      socket.connect(remote);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }
}
