package dev.sluice.embedded.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The network between clients and a server, for tests: it can drop all packets for a while, or do
 * harm at a statement, or lead to another server. The server goes on for everybody who does not
 * come by it. Threadsafe.
 */
public final class Relay implements AutoCloseable {
  private final ServerSocket listening;
  private volatile int serverPort;
  private final Set<Link> open = ConcurrentHashMap.newKeySet();
  private final AtomicReference<Trap> trap = new AtomicReference<>();
  private final AtomicReference<Work> work = new AtomicReference<>();
  private final CountDownLatch harmed = new CountDownLatch(1);

  /** Guarded by this. */
  private boolean dropping;

  /** What befalls the connection of a statement. */
  public enum Harm {
    /** It breaks, and the server does not get the statement. */
    BREAK_BEFORE,
    /** It breaks while the server works on the statement. */
    BREAK_DURING,
    /** It breaks when the server answers, and the client gets no answer. */
    BREAK_AFTER,
    /** From then on nothing passes any more: to the server, all clients look frozen. */
    FREEZE
  }

  private record Trap(String words, Harm harm) {}

  private record Work(String words, Runnable work) {}

  /** A client's connection, and the one that it has to the server. */
  private static final class Link {
    private final Socket client;
    private final Socket server;
    private volatile boolean breaksAtAnswer;

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void end() {
      end(client);
      end(server);
    }

    private static void end(Socket socket) {
      try {
        socket.close();
      } catch (IOException e) {
        // It has ended.
      }
    }
  }

  public Relay(int serverPort) throws IOException {
    this.serverPort = serverPort;
    this.listening = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  public int port() {
    return listening.getLocalPort();
  }

  /**
   * New connections lead to the server of another port; those that are open stay where they are.
   */
  public void moveTo(int port) {
    serverPort = port;
  }

  /**
   * Does harm once, at the next statement with these words. A statement that a client has prepared
   * has them the first time only.
   */
  public void harmAt(String words, Harm harm) {
    trap.set(new Trap(words, harm));
  }

  /** Does work once, before the next statement or data with these words goes to the server. */
  public void before(String words, Runnable done) {
    work.set(new Work(words, done));
  }

  /** Whether harm was done. */
  public boolean hasHarmed() {
    return trap.get() == null;
  }

  /** Returns when harm was done, and the server has the statement. */
  public void awaitHarm() throws InterruptedException {
    harmed.await();
  }

  /** Drops all packets for this long; TCP then sends them again. */
  public void drop(Duration time) throws InterruptedException {
    drop(true);
    try {
      Thread.sleep(time.toMillis());
    } finally {
      drop(false);
    }
  }

  /** Drops all packets for this long; then nothing knows the connections any more. */
  public void dropAndForget(Duration time) throws InterruptedException {
    drop(true);
    try {
      Thread.sleep(time.toMillis());
      open.forEach(Link::end);
    } finally {
      drop(false);
    }
  }

  private synchronized void drop(boolean now) {
    dropping = now;
    notifyAll();
  }

  /** Ends all connections, and opens no more. */
  @Override
  public void close() throws IOException {
    listening.close();
    open.forEach(Link::end);
    drop(false);
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
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      Link link = new Link(client, server);
      open.add(link);
      start(() -> pass(link, client, server));
      start(() -> pass(link, server, client));
    } catch (IOException e) {
      // The server is away.
      client.close();
    }
  }

  private void pass(Link link, Socket from, Socket to) {
    byte[] piece = new byte[64 * 1024];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
        awaitPassage();
        if (from == link.client) {
          workBefore(piece, read);
        }
        Harm harm = from == link.client ? harmOf(piece, read) : null;
        if (harm == Harm.BREAK_BEFORE || from == link.server && link.breaksAtAnswer) {
          return;
        }
        link.breaksAtAnswer |= harm == Harm.BREAK_DURING || harm == Harm.BREAK_AFTER;
        if (harm == Harm.FREEZE) {
          drop(true);
        }
        out.write(piece, 0, read);
        if (harm != null) {
          harmed.countDown();
        }
        if (harm == Harm.BREAK_DURING) {
          return;
        }
      }
    } catch (IOException e) {
      // The other direction has ended.
    } finally {
      awaitPassage(); // An end, too, is a packet.
      link.end();
      open.remove(link);
    }
  }

  /** What is to befall this piece; null if nothing is. */
  private Harm harmOf(byte[] piece, int length) {
    Trap set = trap.get();
    return set != null && has(piece, length, set.words()) && trap.compareAndSet(set, null)
        ? set.harm()
        : null;
  }

  private void workBefore(byte[] piece, int length) {
    Work set = work.get();
    if (set != null && has(piece, length, set.words()) && work.compareAndSet(set, null)) {
      set.work().run();
    }
  }

  private static boolean has(byte[] piece, int length, String words) {
    return new String(piece, 0, length, StandardCharsets.ISO_8859_1).contains(words);
  }

  /**
   * Holds nothing while something is sent: whoever does not read would keep the packets from being
   * dropped.
   */
  private synchronized void awaitPassage() {
    while (dropping) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw new IllegalStateException("nobody interrupts a relay", e);
      }
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "relay");
    thread.setDaemon(true);
    thread.start();
  }
}
