package dev.sluice.connector.postgres.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/**
 * Stands between a daemon and PostgreSQL as the daemon's own machine: once the server was given a
 * statement with certain words, nothing of the daemon goes on, and its connections stay open. So
 * does a stopped process look to the server.
 */
final class FreezingRelay implements AutoCloseable {
  private final ServerSocket listening;
  private final int serverPort;
  private final String words;
  private final CountDownLatch frozen = new CountDownLatch(1);
  private final CountDownLatch thawed = new CountDownLatch(1);

  /**
   * @param words of the last statement that the server is given
   */
  FreezingRelay(int serverPort, String words) throws IOException {
    this.serverPort = serverPort;
    this.words = words;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  void awaitFrozen() throws InterruptedException {
    frozen.await();
  }

  /** The machine is gone: what it has open is closed, and it opens nothing more. */
  @Override
  public void close() throws IOException {
    listening.close();
    thawed.countDown();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        start(() -> relay(client, server, true));
        start(() -> relay(server, client, false));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void relay(Socket from, Socket to, boolean toServer) {
    byte[] buffer = new byte[64 * 1024];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        awaitThaw();
        out.write(buffer, 0, read);
        if (toServer && new String(buffer, 0, read, StandardCharsets.UTF_8).contains(words)) {
          frozen.countDown();
          awaitThaw();
        }
      }
    } catch (IOException e) {
      // The other direction has ended.
    }
  }

  /** Where it is frozen, for good. */
  private void awaitThaw() throws IOException {
    if (frozen.getCount() > 0) {
      return;
    }
    try {
      thawed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IOException("the machine is gone");
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "relay");
    thread.setDaemon(true);
    thread.start();
  }
}
