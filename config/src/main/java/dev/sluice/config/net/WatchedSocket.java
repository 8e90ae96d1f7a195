package dev.sluice.config.net;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/**
 * A socket to a database whose answers may take hours, and whose host may vanish without a word.
 * Whoever waits for an answer waits as long as the host answers at all.
 *
 * <p>An idle connection is kept alive by short TCP keep-alives. They do not help while something
 * that was sent is not acknowledged: the system sends that again for a quarter of an hour and more,
 * and Java cannot set TCP_USER_TIMEOUT. So a read that gets nothing for a while opens another
 * connection to the same port, to see whether somebody is there: accepted or refused, the host is.
 * Only where several in a row get no answer does the read fail. A write that the system cannot send
 * any of still takes that quarter of an hour.
 *
 * <p>Used as any socket: one thread reads, any may close.
 */
final class WatchedSocket extends Socket {
  private static final Map<SocketOption<Integer>, Integer> KEEP_ALIVES =
      Map.of(
          ExtendedSocketOptions.TCP_KEEPIDLE, 30,
          ExtendedSocketOptions.TCP_KEEPINTERVAL, 10,
          ExtendedSocketOptions.TCP_KEEPCOUNT, 3);

  private final Duration patience;
  private final Duration probePatience;
  private final int probes;

  /** What the socket's user set; 0 is none. */
  private volatile int userTimeout;

  private InputStream watched;
  private int unanswered;

  /**
   * @param patience how long a read gets nothing before the host is looked for
   * @param probePatience how long a connection to it may take
   * @param probes how many in a row get no answer before it is taken for gone
   */
  WatchedSocket(Duration patience, Duration probePatience, int probes) throws IOException {
    this.patience = patience;
    this.probePatience = probePatience;
    this.probes = probes;
    for (Map.Entry<SocketOption<Integer>, Integer> each : KEEP_ALIVES.entrySet()) {
      if (supportedOptions().contains(each.getKey())) {
        setOption(each.getKey(), each.getValue());
      }
    }
  }

  @Override
  public synchronized void setSoTimeout(int timeout) throws SocketException {
    if (timeout < 0) {
      throw new IllegalArgumentException("timeout can't be negative");
    }
    userTimeout = timeout;
  }

  @Override
  public synchronized int getSoTimeout() {
    return userTimeout;
  }

  @Override
  public synchronized InputStream getInputStream() throws IOException {
    if (watched == null) {
      watched = new Watched(super.getInputStream());
    }
    return watched;
  }

  private void waitAtMost(long millis) throws SocketException {
    super.setSoTimeout((int) Math.max(1, millis));
  }

  /** Fails where the host has given no sign for several connections in a row. */
  private void requireHost() throws IOException {
    SocketAddress address = getRemoteSocketAddress();
    if (address == null || isClosed()) {
      return;
    }
    unanswered = answers(address) ? 0 : unanswered + 1;
    if (unanswered >= probes) {
      throw new SocketException(
          "%s does not answer: nothing came on this connection, and %d other ones got no answer"
              .formatted(address, unanswered));
    }
  }

  private boolean answers(SocketAddress address) {
    try (Socket probe = new Socket()) {
      probe.connect(address, (int) probePatience.toMillis());
      return true;
    } catch (SocketTimeoutException | NoRouteToHostException e) {
      return false;
    } catch (ConnectException e) {
      String why = String.valueOf(e.getMessage());
      return !why.contains("unreachable") && !why.contains("timed out");
    } catch (IOException e) {
      // It tells of this side only, such as too many open files.
      return true;
    }
  }

  private final class Watched extends FilterInputStream {
    private Watched(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int limit = userTimeout;
      long begun = System.nanoTime();
      while (true) {
        long waited = Duration.ofNanos(System.nanoTime() - begun).toMillis();
        long left = limit == 0 ? patience.toMillis() : limit - waited;
        waitAtMost(Math.min(left, patience.toMillis()));
        try {
          int read = in.read(bytes, offset, length);
          unanswered = 0;
          return read;
        } catch (SocketTimeoutException e) {
          waited = Duration.ofNanos(System.nanoTime() - begun).toMillis();
          if (limit > 0 && waited >= limit) {
            throw e;
          }
          if (waited >= patience.toMillis()) {
            requireHost();
          }
        }
      }
    }
  }
}
