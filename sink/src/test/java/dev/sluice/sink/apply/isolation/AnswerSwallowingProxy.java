package dev.sluice.sink.apply.isolation;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A proxy between a client and PostgreSQL that can break the connection at a COMMIT: before the
 * server gets it, while the server executes it, or after the server has answered. Recognizes only
 * the first COMMIT of a connection; later ones use the name of the prepared statement.
 */
public final class AnswerSwallowingProxy implements AutoCloseable {

  public enum Break {
    NEVER,
    BEFORE_COMMIT,
    DURING_COMMIT,
    AFTER_COMMIT
  }

  private final ServerSocket listening;
  private final int serverPort;
  private final AtomicReference<Break> next = new AtomicReference<>(Break.NEVER);

  public AnswerSwallowingProxy(int serverPort) throws IOException {
    this.serverPort = serverPort;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  public int port() {
    return listening.getLocalPort();
  }

  /** Breaks one connection, once. */
  public void breakAtCommit(Break when) {
    next.set(when);
  }

  public boolean hasBroken() {
    return next.get() == Break.NEVER;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        AtomicReference<Boolean> swallow = new AtomicReference<>(false);
        daemon(() -> toServer(client, server, swallow));
        daemon(() -> toClient(client, server, swallow));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void toServer(Socket client, Socket server, AtomicReference<Boolean> swallow) {
    byte[] buffer = new byte[64 * 1024];
    try (client;
        server) {
      InputStream in = client.getInputStream();
      OutputStream out = server.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (next.get() != Break.NEVER
            && new String(buffer, 0, read, StandardCharsets.ISO_8859_1).contains("COMMIT\0")) {
          Break at = next.getAndSet(Break.NEVER);
          if (at == Break.BEFORE_COMMIT) {
            return;
          }
          swallow.set(true);
          if (at == Break.DURING_COMMIT) {
            out.write(buffer, 0, read);
            client.close();
            continue;
          }
        }
        out.write(buffer, 0, read);
      }
    } catch (IOException e) {
      // The other direction has ended.
    }
  }

  private static void toClient(Socket client, Socket server, AtomicReference<Boolean> swallow) {
    byte[] buffer = new byte[64 * 1024];
    try (client;
        server) {
      InputStream in = server.getInputStream();
      OutputStream out = client.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (swallow.get()) {
          return;
        }
        out.write(buffer, 0, read);
      }
    } catch (IOException e) {
      // The other direction has ended.
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
