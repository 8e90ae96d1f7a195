package dev.sluice.bench.peer;

import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.engine.command.CommandLines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A task that loads all tables of a database and follows it, and its daemon. Owned by one thread.
 */
public final class SluiceTask implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(30);

  private final ServerPair servers;
  private final Database source;
  private final Database target;
  private final Path folder;
  private final String settings;
  private SluiceDaemon daemon;
  private SluiceDaemon wayBack;
  private String printed = "";
  private String sections = "";

  /**
   * @param settings the task-settings, in JSON or YAML on one line
   */
  public SluiceTask(ServerPair servers, String name, String settings)
      throws SQLException, IOException {
    this.servers = servers;
    this.source = ServerPair.create(servers.source(name));
    this.target = ServerPair.create(servers.target(name));
    this.folder = servers.newFolder(name);
    this.settings = settings;
  }

  /** With more sections of the task file, before it is started. */
  public SluiceTask with(String more) {
    sections = more;
    return this;
  }

  public Database source() {
    return source;
  }

  public Database target() {
    return target;
  }

  /** Starts the daemon, and waits until it follows the source. */
  public void start() throws Exception {
    daemon = SluiceDaemon.start(folder, this::file, List.of("-Xmx1g"));
    daemon.awaitReplicating(LIMIT);
  }

  /** Starts the daemon of the way back, which the sections of the task file have, and arms it. */
  public void arm(int port) throws Exception {
    wayBack = daemon.startWayBack(port, List.of("-Xmx1g"));
    wayBack.awaitPhase("armed", LIMIT);
  }

  /** Waits until the old source follows the new side. */
  public void awaitFollowedBack() throws Exception {
    wayBack.awaitReplicating(LIMIT);
  }

  public SluiceDaemon daemon() {
    return daemon;
  }

  public void stop() {
    daemon.close();
  }

  /** CPU seconds so far. */
  public record Cpu(double source, double target, double daemon) {
    public Cpu since(Cpu before) {
      return new Cpu(source - before.source, target - before.target, daemon - before.daemon);
    }

    public double all() {
      return source + target + daemon;
    }
  }

  public Cpu cpu() {
    return new Cpu(servers.sourceCpu(), servers.targetCpu(), CpuTime.ofTree(daemon.pid()));
  }

  /**
   * Runs a command of the command line, in this process. Its output is kept for messages.
   *
   * @return its exit code
   */
  public int command(String name, String... more) {
    List<String> command = new ArrayList<>(List.of(name, daemon.taskFile().toString()));
    command.addAll(List.of(more));
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (PrintStream both = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      System.setOut(both);
      System.setErr(both);
      return CommandLines.run(command.toArray(new String[0]));
    } finally {
      System.setOut(out);
      System.setErr(err);
      printed = text.toString(StandardCharsets.UTF_8);
    }
  }

  /** What the last command printed. */
  public String printed() {
    return printed;
  }

  /** Waits until all that was committed before is on the target. */
  public void awaitApplied() throws Exception {
    long begun = System.nanoTime();
    while (command("wait") != 0) {
      daemon.requireAlive();
      if (System.nanoTime() - begun > LIMIT.toNanos()) {
        throw new IllegalStateException("the target does not catch up: " + printed());
      }
    }
  }

  public String onTarget(String query) throws SQLException {
    try (Connection connection = target.connect()) {
      return Database.single(connection, query);
    }
  }

  @Override
  public void close() {
    for (SluiceDaemon each : Arrays.asList(wayBack, daemon)) {
      if (each != null) {
        each.close();
      }
    }
  }

  private String file(Path data, int port) {
    return """
    task: %s
    migration-type: full-load-and-cdc
    source:
      type: postgresql
      url: postgresql://%s@127.0.0.1:%d/%s
      password: ${env:HOME}
    target:
      type: postgresql
      url: postgresql://%s@127.0.0.1:%d/%s
      password: ${env:HOME}
    data-dir: %s
    http: 127.0.0.1:%d
    table-mappings:
      rules:
        - rule-type: selection
          rule-id: "1"
          rule-name: all
          rule-action: include
          object-locator: { schema-name: public, table-name: "%%" }
    task-settings: %s
    %s
    """
        .formatted(
            source.name().replace('_', '-'),
            Database.USER,
            source.port(),
            source.name(),
            Database.USER,
            target.port(),
            target.name(),
            data.resolve("data"),
            port,
            settings,
            sections);
  }
}
