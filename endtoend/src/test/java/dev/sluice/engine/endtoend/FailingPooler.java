package dev.sluice.engine.endtoend;

import dev.sluice.embedded.postgres.Relay;
import dev.sluice.engine.cutover.hook.Pgbouncer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A pgbouncer in front of the source, and the hooks that point it at the target. Applications reach
 * it past the network.
 */
final class FailingPooler implements Outage.Server {
  private final Pgbouncer pgbouncer;
  private final Relay network;
  private final int targetPort;
  private final String hooks;

  private FailingPooler(Pgbouncer pgbouncer, int sourcePort, int targetPort) throws IOException {
    this.pgbouncer = pgbouncer;
    this.network = new Relay(pgbouncer.port());
    this.targetPort = targetPort;
    this.hooks =
        """
        cutover:
          hooks:
            - exec:
                name: point
                switch: [sed, -i, s/port=%d/port=%d/, %s]
            - pgbouncer:
                instances: ["127.0.0.1:%d"]
                user: console
                password: c0nsole
                database: shop
                reload: true
                proof: {database: shop_proof, user: app, password: app}
        """
            .formatted(sourcePort, targetPort, pgbouncer.file(), network.port());
  }

  static FailingPooler start(Path folder, String database, int sourcePort, int targetPort)
      throws Exception {
    return new FailingPooler(Pgbouncer.start(folder, sourcePort, database), sourcePort, targetPort);
  }

  /** The section of the task file. */
  String hooks() {
    return hooks;
  }

  Connection application() throws SQLException {
    return pgbouncer.client();
  }

  /**
   * What the report of a cutover asks its operator for where the switch has failed. What is still
   * paused the daemon resumes.
   */
  void moveByHand() throws Exception {
    pgbouncer.serverAt(targetPort);
    pgbouncer.console("RELOAD");
  }

  @Override
  public Relay network() {
    return network;
  }

  @Override
  public void freeze() throws Exception {
    pgbouncer.signal("STOP");
  }

  @Override
  public void thaw() throws Exception {
    pgbouncer.signal("CONT");
  }

  @Override
  public void stop() {
    pgbouncer.stop();
  }

  @Override
  public void kill() {
    pgbouncer.kill();
  }

  @Override
  public void start() throws IOException {
    pgbouncer.start();
  }

  @Override
  public void close() throws IOException {
    network.close();
    pgbouncer.close();
  }
}
