package dev.sluice.bench.cutover;

import dev.sluice.bench.server.ChildProcess;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Waiting;
import dev.sluice.embedded.FreePort;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A pgbouncer of the machine with transaction pools, in front of one database. */
public final class Pooler implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final ChildProcess process;
  private final Path folder;
  private final int port;

  private Pooler(ChildProcess process, Path folder, int port) {
    this.process = process;
    this.folder = folder;
    this.port = port;
  }

  /**
   * Starts it.
   *
   * @throws IllegalStateException if pgbouncer is not installed
   */
  public static Pooler start(Path folder, Database source, Database target) throws Exception {
    // It gives up root's rights, and reads its files again later.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(folder.getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
    int port = FreePort.find();
    Files.writeString(folder.resolve("users"), "\"console\" \"console\"\n\"postgres\" \"x\"\n");
    write(folder, "pgbouncer.ini", port, source);
    write(folder, "moved.ini", port, target);
    write(folder, "back.ini", port, source);
    List<String> command = new ArrayList<>(List.of(program().toString()));
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("-u", "nobody"));
    }
    command.add(folder.resolve("pgbouncer.ini").toString());
    ChildProcess process =
        ChildProcess.start("pgbouncer", command, folder.resolve("pgbouncer.out"), LIMIT);
    Waiting.until("pgbouncer", LIMIT, () -> answers(port));
    return new Pooler(process, folder, port);
  }

  private static Path program() {
    return Stream.concat(
            Stream.of(System.getenv("PATH").split(":")).map(Path::of),
            Stream.of(Path.of("/usr/sbin")))
        .map(place -> place.resolve("pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "pgbouncer is not installed; on Debian: apt-get install pgbouncer"));
  }

  private static boolean answers(int port) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static void write(Path folder, String name, int port, Database database)
      throws IOException {
    Files.writeString(
        folder.resolve(name),
        """
        [databases]
        shop = host=127.0.0.1 port=%d dbname=%s user=postgres
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        admin_users = console
        auth_file = %s
        pool_mode = transaction
        default_pool_size = 20
        max_client_conn = 200
        query_wait_timeout = 86400
        ignore_startup_parameters = extra_float_digits
        """
            .formatted(database.port(), database.name(), port, folder.resolve("users")));
  }

  /** Where applications connect. */
  public String address() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/shop?user=postgres&prepareThreshold=0";
  }

  /** The hooks that hold applications in a cutover, and move them to the target. */
  public String hooks() {
    return hooks("moved.ini");
  }

  /** The hooks that hold applications in a fallback, and move them back to the source. */
  public String hooksBack() {
    return hooks("back.ini");
  }

  private String hooks(String next) {
    return """
      hooks:
        - exec:
            name: pools
            switch: [cp, %1$s/%2$s, %1$s/pgbouncer.ini]
        - pgbouncer:
            instances: ["127.0.0.1:%3$d"]
            user: console
            password: console
            database: shop
            reload: true
    """
        .formatted(folder, next, port);
  }

  @Override
  public void close() {
    process.close();
  }
}
