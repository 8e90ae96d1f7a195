package dev.sluice.connector.mariadb.capture;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.net.WatchedSockets;
import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.journal.EventQueue;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the binary log on a thread of its own, decodes it, and puts the events into a queue. A
 * second reader of the same task ends the first one: the server has one for each number of a
 * replica.
 */
final class LogReader implements RawEvents.Receiver {
  private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);

  private static final int BATCH_BYTES = 64 * 1024;
  private static final Duration CONNECT = Duration.ofSeconds(30);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

  /** Without changes the server says at this interval how far it has read. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(2);

  private final BinaryLogClient client;
  private final LogDecoder decoder;
  private final EventQueue queue;
  private final Consumer<Throwable> ended;
  private final Thread thread;
  private Throwable failure;
  private volatile boolean stopping;

  /**
   * Starts the thread.
   *
   * @param file the name of the file in which the decoder's boundary is
   * @param ended called once, on the thread, if reading ends by itself
   */
  LogReader(
      String task,
      Endpoint endpoint,
      String file,
      LogDecoder decoder,
      EventQueue queue,
      Consumer<Throwable> ended) {
    this.decoder = decoder;
    this.queue = queue;
    this.ended = ended;
    LogTls tls = LogTls.of(endpoint.options());
    this.client =
        new BinaryLogClient(
            endpoint.host(),
            endpoint.port(),
            endpoint.user(),
            endpoint.password().isPresent() ? endpoint.password().reveal() : "");
    client.setKeepAlive(false);
    client.setConnectTimeout(CONNECT.toMillis());
    client.setHeartbeatInterval(HEARTBEAT.toMillis());
    client.setSocketFactory(LogReader::socket);
    client.setSSLMode(tls.mode());
    tls.sockets().ifPresent(client::setSslSocketFactory);
    client.setServerId(replicaNumber(task));
    client.setBinlogFilename(file);
    client.setBinlogPosition(decoder.boundary().offset());
    // The offsets are the sum of all events, so none may be left out.
    client.setUseSendAnnotateRowsEvent(true);
    client.setEventDeserializer(new RawEvents(this));
    client.registerLifecycleListener(
        new BinaryLogClient.AbstractLifecycleListener() {
          @Override
          public void onCommunicationFailure(BinaryLogClient from, Exception error) {
            fail(error);
          }

          @Override
          public void onEventDeserializationFailure(BinaryLogClient from, Exception error) {
            // The client would skip the event.
            fail(error);
            disconnect();
          }
        });
    this.thread = new Thread(this::run, "sluice-binlog-" + task);
    thread.start();
  }

  private static Socket socket() throws SocketException {
    try {
      return new WatchedSockets().createSocket();
    } catch (IOException e) {
      throw new SocketException("no socket: " + e.getMessage());
    }
  }

  /** A number that no replica has by chance, the same for each run of a task. */
  private static long replicaNumber(String task) {
    CRC32 hash = new CRC32();
    hash.update(task.getBytes(StandardCharsets.UTF_8));
    return 0x4000_0000L | hash.getValue() & 0x3FFF_FFFFL;
  }

  /** Requests the end, without waiting. */
  void stop() {
    stopping = true;
    disconnect();
  }

  /** Ends reading and waits for the end. */
  void close() {
    stop();
    try {
      thread.join(STOP_TIMEOUT.toMillis());
      if (thread.isAlive()) {
        LOG.warn("reading the binary log did not end within {} s", STOP_TIMEOUT.toSeconds());
        thread.interrupt();
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean take(LogEvent event, boolean more) {
    try {
      decoder.decode(event);
      if (decoder.bytes() >= BATCH_BYTES || !more && decoder.bytes() > 0) {
        queue.put(decoder.take());
      }
      return !stopping;
    } catch (InterruptedException | RuntimeException | Error e) {
      fail(e);
      return false;
    }
  }

  @Override
  public void failed(IOException error) {
    fail(error);
  }

  private void run() {
    try {
      client.connect();
    } catch (Throwable e) {
      fail(e);
    }
    if (!stopping) {
      fail(new SluiceException.Retryable("the server ended the connection", null));
      ended.accept(failure);
    }
  }

  /** Keeps the first failure: what follows is its consequence. */
  private void fail(Throwable error) {
    if (failure == null) {
      failure = error;
    }
  }

  private void disconnect() {
    try {
      client.disconnect();
    } catch (IOException e) {
      LOG.debug("the connection to the binary log did not close cleanly: {}", e.toString());
    }
  }
}
