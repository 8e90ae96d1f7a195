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
import java.util.function.UnaryOperator;
import jdk.net.ExtendedSocketOptions;

/**
 * A socket to a database whose answers may take hours. A read waits as long as the host is
 * reachable, and fails if the host is gone.
 *
 * <p>TCP keep-alives check an idle connection. They do not help while sent bytes are not
 * acknowledged: the operating system sends them again for 15 minutes or more, and Java cannot set
 * TCP_USER_TIMEOUT. Therefore a read without data probes the host: it opens another connection to
 * the same port. If that is accepted or refused, the host is reachable. If several probes in a row
 * get no answer, the read fails. A blocked write still takes those 15 minutes.
 *
 * <p>One thread reads; any thread may close.
 */
final class WatchedSocket extends Socket {
  private static final Map<SocketOption<Integer>, Integer> KEEP_ALIVES =
      Map.of(
          ExtendedSocketOptions.TCP_KEEPIDLE, 30,
          ExtendedSocketOptions.TCP_KEEPINTERVAL, 10,
          ExtendedSocketOptions.TCP_KEEPCOUNT, 3);

  private final Duration silence;
  private final Duration probeTimeout;
  private final int probes;
  private final UnaryOperator<InputStream> reading;

  /** The caller's read timeout in milliseconds; 0 is none. */
  private volatile int userTimeout;

  private InputStream watched;
  private int unanswered;

  /**
   * @param silence time without data after which a read probes the host
   * @param probeTimeout connect timeout of a probe
   * @param probes unanswered probes in a row after which the read fails
   */
  WatchedSocket(Duration silence, Duration probeTimeout, int probes) throws IOException {
    this(silence, probeTimeout, probes, UnaryOperator.identity());
  }

  /**
   * @param reading makes of the stream of what the other side sends the one that is read
   */
  WatchedSocket(
      Duration silence, Duration probeTimeout, int probes, UnaryOperator<InputStream> reading)
      throws IOException {
    this.reading = reading;
    this.silence = silence;
    this.probeTimeout = probeTimeout;
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
      watched = reading.apply(new Watched(super.getInputStream()));
    }
    return watched;
  }

  private void waitAtMost(long millis) throws SocketException {
    super.setSoTimeout((int) Math.max(1, millis));
  }

  /** Probes the host; fails after several unanswered probes in a row. */
  private void requireHost() throws IOException {
    SocketAddress address = getRemoteSocketAddress();
    if (address == null || isClosed()) {
      return;
    }
    unanswered = answers(address) ? 0 : unanswered + 1;
    if (unanswered >= probes) {
      throw new SocketException(
          "%s does not answer: no data on this connection, and %d new connections in a row got no answer"
              .formatted(address, unanswered));
    }
  }

  private boolean answers(SocketAddress address) {
    try (Socket probe = new Socket()) {
      probe.connect(address, (int) probeTimeout.toMillis());
      return true;
    } catch (SocketTimeoutException | NoRouteToHostException e) {
      return false;
    } catch (ConnectException e) {
      String why = String.valueOf(e.getMessage());
      return !why.contains("unreachable") && !why.contains("timed out");
    } catch (IOException e) {
      // The cause is on this side, such as too many open files.
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
        long left = limit == 0 ? silence.toMillis() : limit - waited;
        waitAtMost(Math.min(left, silence.toMillis()));
        try {
          int read = in.read(bytes, offset, length);
          unanswered = 0;
          return read;
        } catch (SocketTimeoutException e) {
          waited = Duration.ofNanos(System.nanoTime() - begun).toMillis();
          if (limit > 0 && waited >= limit) {
            throw e;
          }
          if (waited >= silence.toMillis()) {
            requireHost();
          }
        }
      }
    }
  }
}
