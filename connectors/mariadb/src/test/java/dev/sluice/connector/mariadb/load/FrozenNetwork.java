package dev.sluice.connector.mariadb.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * Passes connections on to a server until a client sends a statement. From then on nothing is
 * passed on, and all connections stay open, as with a client that stands still. Threadsafe.
 */
final class FrozenNetwork implements AutoCloseable {
  private final ServerSocket listening;
  private final int server;
  private final String statement;
  private final CountDownLatch frozen = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /**
   * @param server its port
   * @param statement is passed on, and nothing after it
   */
  FrozenNetwork(int server, String statement) throws IOException {
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.server = server;
    this.statement = statement;
    start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  void awaitFrozen() throws InterruptedException {
    frozen.await();
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "frozen-network");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        Socket behind = new Socket(InetAddress.getLoopbackAddress(), server);
        sockets.addAll(List.of(client, behind));
        start(() -> pass(client, behind, true));
        start(() -> pass(behind, client, false));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void pass(Socket from, Socket to, boolean ofClient) {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[64 * 1024];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (frozen.getCount() == 0) {
          closed.await();
        }
        out.write(buffer, 0, read);
        // A statement of the tests fits into one packet, and the client waits for its answer.
        if (ofClient
            && new String(buffer, 0, read, StandardCharsets.ISO_8859_1).contains(statement)) {
          frozen.countDown();
        }
      }
      to.shutdownOutput();
    } catch (IOException | InterruptedException e) {
      // Closed.
    }
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    listening.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
