package dev.sluice.embedded.mariadb;

import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.MemoryFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects the options of a server. Not threadsafe.
 *
 * @param <S> the kind of server
 */
public abstract sealed class ServerBuilder<S extends EmbeddedServer>
    permits EmbeddedMariadb.Builder, EmbeddedMysql.Builder {
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private final String kind;
  private Path directory;
  private int port;

  /**
   * @param kind the first part of the name of its folder
   */
  ServerBuilder(String kind) {
    this.kind = kind;
    settings.put("bind-address", "127.0.0.1");
    settings.put("socket", kind + ".sock");
    settings.put("pid-file", kind + ".pid");
    settings.put("skip-name-resolve", "ON");
    settings.put("server-id", "1");
    settings.put("log-bin", "binlog");
    settings.put("binlog-format", "ROW");
    settings.put("binlog-row-image", "FULL");
    settings.put("binlog-row-metadata", "FULL");
    settings.put("character-set-server", "utf8mb4");
    settings.put("innodb-buffer-pool-size", "64M");
    // Commits survive a killed process, and not a power cut.
    settings.put("innodb-flush-log-at-trx-commit", "2");
    settings.put("innodb-doublewrite", "OFF");
    settings.put("innodb-use-native-aio", "OFF");
    settings.put("sync-binlog", "0");
    settings.put("max-allowed-packet", "64M");
  }

  /** Keeps the data in this directory; without one they are deleted when the server ends. */
  public ServerBuilder<S> directory(Path newDirectory) {
    directory = newDirectory;
    return this;
  }

  /** Sets a fixed port; the default is a free one. */
  public ServerBuilder<S> port(int newPort) {
    port = newPort;
    return this;
  }

  /** Sets any option of the server, by the name that its command line has. */
  public ServerBuilder<S> setting(String name, String value) {
    settings.put(name, value);
    return this;
  }

  /** Sets the time zone of the server's machine, such as {@code Asia/Tokyo}. */
  public ServerBuilder<S> timeZone(String name) {
    environment.put("TZ", name);
    return this;
  }

  /** Makes commits durable against power cuts; slower, and off by default. */
  public ServerBuilder<S> fsync() {
    return setting("innodb-flush-log-at-trx-commit", "1").setting("sync-binlog", "1");
  }

  /**
   * Starts the server.
   *
   * @throws UncheckedIOException if it does not start
   */
  public S start() {
    try {
      boolean kept = directory != null;
      Path data = kept ? directory : MemoryFolder.create(kind);
      Files.createDirectories(data);
      if (!Files.exists(data.resolve("mysql"))) {
        fill(data);
      }
      int free = port == 0 ? FreePort.find() : port;
      settings.put("port", Integer.toString(free));
      S server =
          server(
              new EmbeddedServer.Place(data.toAbsolutePath(), kept, free),
              settings.entrySet().stream()
                  .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                  .toList(),
              environment);
      server.launch();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException("an embedded " + kind + " server does not start", e);
    }
  }

  /** Puts the data of a new server into an empty directory. */
  abstract void fill(Path data) throws IOException;

  /** A server that does not run yet. */
  abstract S server(
      EmbeddedServer.Place place, List<String> options, Map<String, String> environment)
      throws IOException;
}
