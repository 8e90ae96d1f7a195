package dev.sluice.bench.mariadb;

import dev.sluice.bench.peer.SluiceDaemon;
import dev.sluice.bench.server.Database;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The task file of a MariaDB source. Immutable.
 *
 * @param start where a task without a load starts; empty: a full load alone
 */
public record MariadbTask(
    EmbeddedMariadb source, String database, Database target, Optional<String> start)
    implements SluiceDaemon.TaskText {
  /** Of the server, with all rights. */
  public static final String USER = "bench";

  public static final String PASSWORD = "of-the-benchmark";

  @Override
  public String of(Path folder, int port) {
    return """
    task: %s
    migration-type: %s
    source: { type: mariadb, url: "mariadb://%s@127.0.0.1:%d/%s", password: %s }
    target: { type: postgresql, url: "postgresql://%s@127.0.0.1:%d/%s", password: none }
    data-dir: %s
    http: 127.0.0.1:%d
    %s
    table-mappings:
      rules:
        - rule-type: selection
          rule-id: "1"
          rule-name: all
          rule-action: include
          object-locator: { schema-name: %s, table-name: "%%" }
    task-settings: { FullLoadSettings: { TargetTablePrepMode: DROP_AND_CREATE } }
    """
        .formatted(
            start.isPresent() ? "changes" : "load",
            start.isPresent() ? "cdc" : "full-load",
            USER,
            source.port(),
            database,
            PASSWORD,
            Database.USER,
            target.port(),
            target.name(),
            folder.resolve("data"),
            port,
            start.map(position -> "cdc-start-position: " + position).orElse(""),
            database);
  }
}
