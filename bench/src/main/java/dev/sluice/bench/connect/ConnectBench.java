package dev.sluice.bench.connect;

import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.embedded.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/**
 * A broker in this process and one worker process, for all contenders of a benchmark. Owned by the
 * benchmark's thread.
 */
public final class ConnectBench implements AutoCloseable {
  private final ServerPair servers;
  private final EmbeddedBroker broker;
  private final MeasuredWorker worker;
  private final Admin admin;

  private ConnectBench(
      ServerPair servers, EmbeddedBroker broker, MeasuredWorker worker, Admin admin) {
    this.servers = servers;
    this.broker = broker;
    this.worker = worker;
    this.admin = admin;
  }

  /**
   * Starts both.
   *
   * @param heap of the worker, in megabytes
   */
  public static ConnectBench start(ServerPair servers, int heap)
      throws IOException, SQLException, InterruptedException {
    Path folder = servers.newFolder("connect");
    EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"));
    try {
      MeasuredWorker worker = MeasuredWorker.start(broker.bootstrapServers(), folder, heap);
      Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
      return new ConnectBench(servers, broker, worker, Admin.create(kafka));
    } catch (RuntimeException | IOException | SQLException | InterruptedException e) {
      broker.close();
      throw e;
    }
  }

  MeasuredWorker worker() {
    return worker;
  }

  Admin admin() {
    return admin;
  }

  String bootstrapServers() {
    return broker.bootstrapServers();
  }

  /** CPU time of a sink's three processes since their start. */
  ProcessCosts costs() {
    return new ProcessCosts(
        CpuTime.ofTree(worker.pid()), CpuTime.ofThisProcess(), servers.targetCpu());
  }

  @Override
  public void close() {
    admin.close();
    worker.close();
    broker.close();
  }
}
