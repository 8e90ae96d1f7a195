package dev.sluice.engine.page;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * An open page that gets live updates. One thread of the HTTP server runs {@link #stream} and may
 * wait for the network; whoever offers an update never waits. An update that is not taken in time
 * is replaced by the next one. Threadsafe.
 */
final class LiveClient {
  /** So many updates are missed by a client that is too slow, or no longer there. */
  private static final int MOST_MISSED = 5;

  private final OutputStream output;
  private String next;
  private int missed;
  private boolean closed;
  private Thread streaming;

  LiveClient(OutputStream output) {
    this.output = output;
  }

  /** Puts an update in the place of one that is not taken yet; closes a client that takes none. */
  synchronized void offer(String update) {
    missed = next == null ? 0 : missed + 1;
    next = update;
    if (missed >= MOST_MISSED) {
      close();
    } else {
      notifyAll();
    }
  }

  /** Ends {@link #stream}, also if it waits for the network. Idempotent. */
  synchronized void close() {
    closed = true;
    if (streaming != null) {
      // The channel of a thread that writes is closed by this.
      streaming.interrupt();
    }
  }

  /** Sends updates until the client is closed, or gone. */
  void stream() {
    synchronized (this) {
      streaming = Thread.currentThread();
    }
    try {
      for (String update = take(); update != null; update = take()) {
        output.write(update.getBytes(StandardCharsets.UTF_8));
        output.flush();
      }
    } catch (IOException | InterruptedException e) {
      // The page was closed, or the client was.
    } finally {
      leave();
    }
  }

  /** Waits for an update; null if the client is closed. */
  private synchronized String take() throws InterruptedException {
    while (next == null && !closed) {
      wait();
    }
    String taken = closed ? null : next;
    next = null;
    return taken;
  }

  /** The thread is the server's again: no later close may interrupt it. */
  private synchronized void leave() {
    streaming = null;
    closed = true;
    Thread.interrupted();
  }
}
