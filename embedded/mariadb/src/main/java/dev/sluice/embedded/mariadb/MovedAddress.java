package dev.sluice.embedded.mariadb;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An address that leads to a server, and later to another one. Connections stay where they are. For
 * tests. Threadsafe.
 */
public final class MovedAddress implements AutoCloseable {
  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile int server;

  /**
   * @param server the port of the first one
   */
  public MovedAddress(int server) throws IOException {
    this.server = server;
    start(this::accept);
  }

  public int port() {
    return listening.getLocalPort();
  }

  /** New connections lead to the server of another port. */
  public void moveTo(int other) {
    server = other;
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "moved-address");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        Socket behind = new Socket(InetAddress.getLoopbackAddress(), server);
        sockets.addAll(List.of(client, behind));
        start(() -> pass(client, behind));
        start(() -> pass(behind, client));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private static void pass(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException e) {
      // Closed.
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
