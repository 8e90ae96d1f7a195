package dev.sluice.engine.endtoend;

import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.BrokerAccess;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.Relay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A Kafka of the user's own, in a process of its own. All its clients reach it by the network. */
final class BrokerProcess implements Outage.Server {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final Path folder;
  private final Relay network;
  private Process process;

  private BrokerProcess(Path folder, int port) throws IOException {
    this.folder = folder;
    this.network = new Relay(port);
  }

  static BrokerProcess start(Path folder) throws IOException {
    BrokerProcess started = new BrokerProcess(folder, OutageTest.keepPorts(folder));
    started.start();
    return started;
  }

  String bootstrapServers() {
    return "127.0.0.1:" + network.port();
  }

  @Override
  public Relay network() {
    return network;
  }

  @Override
  public void freeze() throws Exception {
    DaemonProcess.signal(process, "STOP");
  }

  @Override
  public void thaw() throws Exception {
    DaemonProcess.signal(process, "CONT");
  }

  @Override
  public void stop() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }

  @Override
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void start() throws IOException {
    Files.deleteIfExists(ready(folder));
    Path output = folder.resolve("output");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    command.addAll(SharedClasses.optionsOfTests());
    command.addAll(List.of(BrokerProcess.class.getName(), folder.toString(), bootstrapServers()));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start();
    await().atMost(PATIENCE).until(() -> Files.exists(ready(folder)) || !process.isAlive());
    if (!process.isAlive()) {
      throw new AssertionError(Files.readString(output));
    }
  }

  private static Path ready(Path folder) {
    return folder.resolve("ready");
  }

  /** The process: a broker that tells its clients an address other than its own. */
  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    EmbeddedBroker broker =
        EmbeddedBroker.start(
            folder,
            BrokerAccess.open().with(Map.of("advertised.listeners", "BROKER://" + arguments[1])));
    Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
    Files.createFile(ready(folder));
    while (System.in.read() >= 0) {
      // Until the test's process has ended.
    }
    System.exit(0);
  }

  @Override
  public void close() throws IOException {
    network.close();
    process.destroyForcibly().onExit().join();
  }
}
