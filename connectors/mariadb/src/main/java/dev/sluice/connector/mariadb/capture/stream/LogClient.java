package dev.sluice.connector.mariadb.capture.stream;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.network.SSLMode;
import com.github.shyiko.mysql.binlog.network.protocol.command.QueryCommand;
import dev.sluice.config.net.WatchedSockets;
import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;

/** Makes connections that read the binary log. Stateless. */
public final class LogClient {
  private static final Duration CONNECT = Duration.ofSeconds(30);

  /** The interval at which the server reports its position if there are no changes. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(2);

  /** The first of 2^30 server numbers that administrators rarely use. */
  private static final long FIRST_NUMBER = 0x4000_0000L;

  private LogClient() {}

  /** Creates a connection, not open yet, that reads from a place on. */
  public static BinaryLogClient to(Endpoint endpoint, String file, long offset, RawEvents events) {
    if (MariadbConfig.sendsPasswordInClear(endpoint)) {
      throw new IllegalStateException("BUG: no encryption for the password of " + endpoint);
    }
    LogTls tls = LogTls.of(endpoint.options());
    BinaryLogClient client =
        new BinaryLogClient(
            endpoint.host(),
            endpoint.port(),
            endpoint.user(),
            endpoint.password().isPresent() ? endpoint.password().reveal() : "") {

          /**
           * The client would announce the server's current checksum setting; older files may have
           * another one.
           */
          @Override
          protected void requestBinaryLogStream() throws IOException {
            channel.write(new QueryCommand("SET @master_binlog_checksum = 'CRC32'"));
            checkError(channel.read());
            super.requestBinaryLogStream();
          }
        };
    client.setKeepAlive(false);
    client.setConnectTimeout(CONNECT.toMillis());
    client.setHeartbeatInterval(HEARTBEAT.toMillis());
    client.setSocketFactory(() -> socket(tls.mode() == SSLMode.DISABLED));
    client.setSSLMode(tls.mode());
    tls.sockets().ifPresent(client::setSslSocketFactory);
    client.setServerId(replicaNumber());
    client.setBinlogFilename(file);
    client.setBinlogPosition(offset);
    // Offsets are sums of the sizes of all events, so none may be missing.
    client.setUseSendAnnotateRowsEvent(true);
    client.setEventDeserializer(events);
    return client;
  }

  /**
   * The server number of this reader. The server ends an older reader with the same number. So each
   * connection has its own number, and never ends the reader of another task.
   */
  private static long replicaNumber() {
    return FIRST_NUMBER + ThreadLocalRandom.current().nextLong(FIRST_NUMBER);
  }

  /** With TLS the client itself reads the login after the handshake. */
  private static Socket socket(boolean open) throws SocketException {
    try {
      return WatchedSockets.reading(open ? OpenLogin::new : UnaryOperator.identity());
    } catch (IOException e) {
      throw new SocketException("no socket: " + e.getMessage());
    }
  }
}
