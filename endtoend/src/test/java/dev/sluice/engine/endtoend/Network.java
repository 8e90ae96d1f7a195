package dev.sluice.engine.endtoend;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The network between a daemon and a server, which can drop all packets for a while: each side then
 * hears nothing, and its connections stay open. The server goes on for everybody else.
 */
final class Network implements AutoCloseable {
  private final ServerSocket listening;
  private final int serverPort;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  /** Taken for reading before a piece is passed on, for writing while packets are dropped. */
  private final ReentrantReadWriteLock passage = new ReentrantReadWriteLock(true);

  Network(int serverPort) throws IOException {
    this.serverPort = serverPort;
    this.listening = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  /** Drops all packets for this long; TCP then sends them again. */
  void drop(Duration time) throws InterruptedException {
    passage.writeLock().lock();
    try {
      Thread.sleep(time.toMillis());
    } finally {
      passage.writeLock().unlock();
    }
  }

  /** Drops all packets for this long; then nothing knows the connections any more. */
  void dropAndForget(Duration time) throws InterruptedException {
    passage.writeLock().lock();
    try {
      Thread.sleep(time.toMillis());
      open.forEach(Network::end);
    } finally {
      passage.writeLock().unlock();
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    open.forEach(Network::end);
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        connect(listening.accept());
      } catch (IOException e) {
        // Closed; or this client has gone.
      }
    }
  }

  private void connect(Socket client) throws IOException {
    try {
      Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
      open.add(client);
      open.add(server);
      start(() -> pass(client, server));
      start(() -> pass(server, client));
    } catch (IOException e) {
      // The server is away.
      client.close();
    }
  }

  private void pass(Socket from, Socket to) {
    byte[] piece = new byte[64 * 1024];
    try {
      from.setTcpNoDelay(true);
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
        awaitPassage();
        out.write(piece, 0, read);
      }
    } catch (IOException e) {
      // The other direction has ended.
    } finally {
      awaitPassage(); // An end, too, is a packet.
      end(from);
      end(to);
      open.remove(from);
      open.remove(to);
    }
  }

  /**
   * Not held while something is sent: whoever does not read would keep the network from failing.
   */
  private void awaitPassage() {
    passage.readLock().lock();
    passage.readLock().unlock();
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It has ended.
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "network");
    thread.setDaemon(true);
    thread.start();
  }
}
