package dev.sluice.engine.endtoend;

import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file of a task that moves a {@link BinlogShop} into PostgreSQL.
 *
 * @param name of the task and of the target's database
 */
record BinlogTask(ShopServer kind, EmbeddedPostgres target, Path folder, String name) {

  /**
   * Writes the file, or writes it again for another server.
   *
   * @param type of the migration
   */
  Path write(EmbeddedServer source, String type) throws IOException {
    return Files.writeString(
        folder.resolve("task.yaml"),
        """
        task: %s
        migration-type: %s
        source:
          type: %s
          url: %s
          password: %s
        target:
          type: postgresql
          url: postgresql://postgres@127.0.0.1:%d/%s
        data-dir: %s
        http: 127.0.0.1:%d
        table-mappings:
          rules:
            - rule-type: selection
              rule-id: "1"
              rule-name: "1"
              rule-action: include
              object-locator: { schema-name: shop, table-name: "%%" }
        task-settings: {FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}, Sluice: {ValidationSnapshotAge: 60}}
        """
            .formatted(
                name,
                type,
                kind.type(),
                kind.url(source),
                BinlogShop.PASSWORD,
                target.port(),
                name,
                folder.resolve("data"),
                FreePort.find()));
  }
}
