package dev.sluice.bench.mariadb;

import dev.sluice.bench.peer.SluiceDaemon;
import dev.sluice.bench.server.Database;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The task file of a source that is MariaDB or MySQL. Immutable.
 *
 * @param start where a task without a load starts; empty: a full load alone
 */
public record MariadbTask(
    EmbeddedServer source, String database, Database target, Optional<String> start)
    implements SluiceDaemon.TaskText {
  /** For what needs a password. The servers let {@link #SUPERUSER} in without one. */
  public static final String USER = "bench";

  public static final String PASSWORD = "of-the-benchmark";

  static final String SUPERUSER = "root";

  /** The type of a source that the server is. */
  static String typeOf(EmbeddedServer server) {
    return server instanceof EmbeddedMysql ? "mysql" : "mariadb";
  }

  @Override
  public String of(Path folder, int port) {
    return """
    task: %s
    migration-type: %s
    source: { type: %s, url: "%3$s://%s@127.0.0.1:%d/%s" }
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
            typeOf(source),
            SUPERUSER,
            source.port(),
            database,
            Database.USER,
            target.port(),
            target.name(),
            folder.resolve("data"),
            port,
            start.map(position -> "cdc-start-position: " + position).orElse(""),
            database);
  }
}
