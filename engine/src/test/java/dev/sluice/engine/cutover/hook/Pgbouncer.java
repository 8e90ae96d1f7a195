package dev.sluice.engine.cutover.hook;

import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.FreePort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A pgbouncer of the machine, whose database {@code shop} is on a given server. */
public final class Pgbouncer implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final Path folder;
  private final int port;
  private final String database;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private Process process;

  private Pgbouncer(Path folder, int port, String database) {
    this.folder = folder;
    this.port = port;
    this.database = database;
  }

  /** The program; empty where pgbouncer is not installed. */
  public static Optional<Path> program() {
    return Stream.concat(
            Stream.of(System.getenv("PATH").split(":")).map(Path::of),
            Stream.of(Path.of("/usr/sbin")))
        .map(place -> place.resolve("pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts an instance in front of the database {@code postgres} of the server of that port. */
  static Pgbouncer start(Path folder, int serverPort) throws Exception {
    return start(folder, serverPort, "postgres");
  }

  /** Starts an instance with transaction pools in front of a database of the server. */
  public static Pgbouncer start(Path folder, int serverPort, String database) throws Exception {
    Pgbouncer started = new Pgbouncer(Files.createDirectories(folder), FreePort.find(), database);
    // It gives up root's rights, and reads its files again later.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(folder.getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
    started.settings.put("listen_addr", "127.0.0.1");
    started.settings.put("listen_port", Integer.toString(started.port));
    started.settings.put("unix_socket_dir", "");
    started.settings.put("auth_type", "md5");
    started.settings.put("auth_file", folder.resolve("users").toString());
    started.settings.put("admin_users", "console");
    started.settings.put("stats_users", "reader");
    started.settings.put("pool_mode", "transaction");
    started.settings.put("query_wait_timeout", "86400");
    started.settings.put("ignore_startup_parameters", "extra_float_digits");
    Files.writeString(
        folder.resolve("users"),
        "\"console\" \"c0nsole\"\n\"reader\" \"c0nsole\"\n\"app\" \"app\"\n");
    started.serverAt(serverPort);
    started.start();
    return started;
  }

  public int port() {
    return port;
  }

  public Path file() {
    return folder.resolve("pgbouncer.ini");
  }

  /** Writes the configuration; in effect with the next start or RELOAD. */
  public void serverAt(int serverPort) throws IOException {
    String server =
        "host=127.0.0.1 port=%d dbname=%s user=postgres\n".formatted(serverPort, database);
    StringBuilder text = new StringBuilder("[databases]\n");
    text.append("shop = ").append(server).append("shop_proof = ").append(server);
    text.append("[pgbouncer]\n");
    settings.forEach((key, value) -> text.append(key).append(" = ").append(value).append('\n'));
    Files.writeString(file(), text);
  }

  void set(String key, String value, int serverPort) throws Exception {
    settings.put(key, value);
    serverAt(serverPort);
    console("RELOAD");
  }

  public void start() throws IOException {
    List<String> command = new ArrayList<>(List.of(program().orElseThrow().toString()));
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("-u", "nobody"));
    }
    command.add(file().toString());
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
            .start();
    await().atMost(LIMIT).until(this::answers);
  }

  private boolean answers() throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      return socket.isConnected();
    } catch (ConnectException e) {
      if (!process.isAlive()) {
        throw new AssertionError(Files.readString(folder.resolve("log")), e);
      }
      return false;
    }
  }

  /** Sends a signal, such as STOP. */
  public void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  public void kill() {
    process.destroyForcibly();
    await().atMost(LIMIT).until(() -> !process.isAlive());
  }

  /** Ends it at once, as its service does. */
  public void stop() {
    process.destroy();
    await().atMost(LIMIT).until(() -> !process.isAlive());
  }

  @Override
  public void close() {
    kill();
  }

  /** Whether clients of the database are held. */
  boolean isPaused() throws SQLException {
    return console("SHOW DATABASES").stream()
        .anyMatch(row -> row.get("name").equals("shop") && row.get("paused").equals("1"));
  }

  /** What an operator sends to the admin console. */
  public List<Map<String, String>> console(String command) throws SQLException {
    try (Connection connection = login("pgbouncer", "console", "c0nsole");
        Statement statement = connection.createStatement()) {
      List<Map<String, String>> rows = new ArrayList<>();
      if (statement.execute(command)) {
        ResultSet result = statement.getResultSet();
        while (result.next()) {
          Map<String, String> row = new LinkedHashMap<>();
          for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
            row.put(result.getMetaData().getColumnLabel(column), result.getString(column));
          }
          rows.add(row);
        }
      }
      return rows;
    }
  }

  /** A client of the application. */
  public Connection client() throws SQLException {
    return login("shop", "app", "app");
  }

  private Connection login(String database, String user, String password) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/%s?user=%s&password=%s&preferQueryMode=simple&replication=false"
            .formatted(port, database, user, password));
  }
}
