package dev.sluice.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.server.ServerSocketFactory;

/**
 * The broker's server sockets, bound before it starts, so that no other process can take a chosen
 * port. The ports are stored in the broker's directory and used again at the next start if they are
 * free, so that clients find the broker again. Opened by one thread; the broker's threads take each
 * socket once.
 */
final class BrokerSockets implements ServerSocketFactory, AutoCloseable {
  private static final String PORTS_FILE = "ports.properties";
  private static final int BACKLOG = 50;

  /** Port number with which the system chooses one. */
  private static final int ANY = 0;

  private final Map<String, ServerSocketChannel> open = new TreeMap<>();
  private final Map<String, Integer> ports = new TreeMap<>();

  private BrokerSockets() {}

  /**
   * Binds a socket for each listener.
   *
   * @param directory where the ports are stored, in the file {@code ports.properties}
   * @throws IOException if the file cannot be read or written, or the system has no port left
   */
  static BrokerSockets open(Path directory, String... listeners) throws IOException {
    BrokerSockets sockets = new BrokerSockets();
    try {
      Path file = directory.resolve(PORTS_FILE);
      Properties kept = new Properties();
      if (Files.exists(file)) {
        try (InputStream in = Files.newInputStream(file)) {
          kept.load(in);
        }
      }
      for (String listener : listeners) {
        String name = listener.toLowerCase(Locale.ROOT) + ".port";
        int port = sockets.bind(listener, kept.getProperty(name));
        kept.setProperty(name, Integer.toString(port));
      }
      try (OutputStream out = Files.newOutputStream(file)) {
        kept.store(out, "ports of the embedded Kafka");
      }
      return sockets;
    } catch (IOException | RuntimeException e) {
      sockets.close();
      throw e;
    }
  }

  /** The port of a listener on loopback. */
  int port(String listener) {
    return ports.get(listener);
  }

  private int bind(String listener, String kept) throws IOException {
    ServerSocketChannel channel;
    try {
      channel = bind(kept == null ? ANY : Integer.parseInt(kept));
    } catch (IOException e) {
      // Another process listens there now.
      channel = bind(ANY);
    }
    open.put(listener, channel);
    int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
    ports.put(listener, port);
    return port;
  }

  private static ServerSocketChannel bind(int port) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public synchronized ServerSocketChannel openServerSocket(
      String listener, InetSocketAddress address, int backlog, int receiveBuffer)
      throws IOException {
    ServerSocketChannel channel = open.remove(listener);
    if (channel == null) {
      throw new IOException(
          "the listener %s at %s was given its socket already".formatted(listener, address));
    }
    // As Kafka's own factory does: its selector requires this.
    channel.configureBlocking(false);
    return channel;
  }

  /** Closes the sockets that no broker took. */
  @Override
  public synchronized void close() {
    for (ServerSocketChannel channel : open.values()) {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    open.clear();
  }
}
