package dev.sluice.engine.command;

import dev.sluice.config.dms.DmsConversion;
import dev.sluice.config.dms.TaskFileDraft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What DMS answers of one task, {@code shop}, and of its two endpoints, in the files of a folder.
 */
record DmsAnswers(Path folder) {
  static final String POSTGRESQL = endpoint("postgres", "db2.example.org", 5432, "shop", "");

  /** An endpoint of DMS whose user is {@code dms}. */
  static String endpoint(String engine, String host, int port, String database, String more) {
    return """
        "EngineName": "%s", "ServerName": "%s", "Port": %d, "Username": "dms"%s%s
        """
        .formatted(
            engine,
            host,
            port,
            database.isEmpty() ? "" : ", \"DatabaseName\": \"%s\"".formatted(database),
            more.isEmpty() ? "" : ", " + more);
  }

  /** The files of a task that moves one schema. */
  static DmsAnswers of(Path folder, String schema, String source, String target)
      throws IOException {
    return of(folder, "full-load-and-cdc", schema, source, target);
  }

  static DmsAnswers of(Path folder, String type, String schema, String source, String target)
      throws IOException {
    Files.writeString(
        folder.resolve("tasks.json"),
        """
        {"ReplicationTaskIdentifier": "shop", "MigrationType": "%s", "Status": "stopped",
         "CdcStartPosition": "mysql-bin.000024:373",
         "SourceEndpointArn": "s", "TargetEndpointArn": "t",
         "TableMappings": {"rules": [%s]},
         "ReplicationTaskSettings": {"FullLoadSettings": {"TargetTablePrepMode": "DROP_AND_CREATE"}}}
        """
            .formatted(type, selection(1, schema)));
    Files.writeString(
        folder.resolve("endpoints.json"),
        """
        {"Endpoints": [{"EndpointArn": "s", %s}, {"EndpointArn": "t", %s}]}
        """
            .formatted(source, target));
    return new DmsAnswers(folder);
  }

  /** Includes all tables of another schema as well. */
  DmsAnswers alsoSelecting(String schema) throws IOException {
    Path tasks = tasks();
    Files.writeString(
        tasks, Files.readString(tasks).replace("[{", "[" + selection(2, schema) + ", {"));
    return this;
  }

  private static String selection(int id, String schema) {
    return """
        {"rule-type": "selection", "rule-id": "%1$d", "rule-name": "%1$d", "rule-action": "include",
         "object-locator": {"schema-name": "%2$s", "table-name": "%%"}}\
        """
        .formatted(id, schema);
  }

  TaskFileDraft convert() {
    return DmsConversion.of(
        new DmsConversion.Request(
            tasks(),
            Optional.empty(),
            Optional.of(endpoints()),
            Optional.empty(),
            folder.resolve("task.yaml")));
  }

  Path tasks() {
    return folder.resolve("tasks.json");
  }

  Path endpoints() {
    return folder.resolve("endpoints.json");
  }
}
