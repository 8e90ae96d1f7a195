package dev.sluice.demo;

import dev.sluice.demo.workload.ShopSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The task file of the demo, as a user would write it. */
final class DemoTaskFile {
  private DemoTaskFile() {}

  static Path write(Path folder, DemoServers servers, int httpPort) throws IOException {
    return Files.writeString(
        folder.resolve("demo.yaml"),
        """
        task: demo
        migration-type: full-load-and-cdc
        %1$s
        data-dir: data
        http: 127.0.0.1:%2$d
        table-mappings:
          rules:
            - rule-type: selection
              rule-id: "1"
              rule-name: all tables of the shop
              rule-action: include
              object-locator: { schema-name: %3$s, table-name: "%%" }
        task-settings:
          FullLoadSettings: { TargetTablePrepMode: DROP_AND_CREATE }
          ChangeProcessingTuning: { BatchApplyTimeoutMin: 0.5 }
        """
            .formatted(servers.sections(), httpPort, ShopSchema.SCHEMA));
  }
}
