package dev.sluice.engine;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the task file of a test, as a user would, into a folder that also gets its data. */
public final class TaskFolder {
  private final Path folder;
  private final StringBuilder text = new StringBuilder();

  private TaskFolder(Path folder) {
    this.folder = folder;
  }

  /** A task over one schema between the two servers' databases. */
  public static TaskFolder of(
      Path folder,
      String task,
      EmbeddedPostgres source,
      EmbeddedPostgres target,
      String database,
      String schema)
      throws IOException {
    return of(folder, task, source.port(), target.port(), database, schema);
  }

  public static TaskFolder of(
      Path folder, String task, int sourcePort, int targetPort, String database, String schema)
      throws IOException {
    TaskFolder taskFolder = new TaskFolder(folder);
    int port = FreePort.find();
    taskFolder.text.append(
        """
            task: %s
            migration-type: full-load-and-cdc
            source:
              type: postgresql
              url: postgresql://postgres@127.0.0.1:%d/%s
              password: ${env:HOME}
            target:
              type: postgresql
              url: postgresql://postgres@127.0.0.1:%d/%s
              password: ${env:HOME}
            data-dir: %s
            http: 127.0.0.1:%d
            table-mappings:
              rules:
                - rule-type: selection
                  rule-id: "1"
                  rule-name: "1"
                  rule-action: include
                  object-locator: { schema-name: %s, table-name: "%%" }
            """
            .formatted(
                task,
                sourcePort,
                database,
                targetPort,
                database,
                folder.resolve("data"),
                port,
                schema));
    taskFolder.text.append(SharedBroker.line(task));
    return taskFolder;
  }

  /** The task has a broker of its own, in its data directory. */
  public TaskFolder withOwnBroker() {
    String own = SharedBroker.removedFrom(text.toString());
    text.setLength(0);
    text.append(own);
    return this;
  }

  /** Replaces a piece of the file, for a test of what then happens. */
  public TaskFolder replacing(String part, String replacement) {
    int at = text.indexOf(part);
    if (at < 0) {
      throw new IllegalArgumentException("'" + part + "' is not in\n" + text);
    }
    text.replace(at, at + part.length(), replacement);
    return this;
  }

  /** Has a target of another type than PostgreSQL. */
  public TaskFolder target(String type, String url) {
    text.replace(
        text.indexOf("target:\n"),
        text.indexOf("data-dir:"),
        "target:\n  type: %s\n  url: %s\n".formatted(type, url));
    return this;
  }

  /** Has these rules, each a line or more of YAML, and no others. */
  public TaskFolder rules(String rules) {
    int from = text.indexOf("rules:\n") + "rules:\n".length();
    int to = text.indexOf("\n", text.indexOf("object-locator")) + 1;
    text.replace(from, to, rules);
    return this;
  }

  /**
   * Adds the task settings, in JSON. Whoever writes in a test is known, so its cutovers need not
   * watch for long who else does. What else fills the disk of the machine is no problem of a test.
   */
  public TaskFolder settings(String json) {
    String line = with("GuardProblemHours: 0", with("CutoverQuietTime: 0.1", json));
    text.append("task-settings: ").append(line.replace("\n", " ")).append('\n');
    return this;
  }

  private static String with(String setting, String json) {
    if (json.contains(setting.substring(0, setting.indexOf(':')))) {
      return json;
    }
    return json.contains("Sluice: {")
        ? json.replace("Sluice: {", "Sluice: {" + setting + ", ")
        : json.replaceFirst("^\\{", "{Sluice: {" + setting + "}, ");
  }

  public Path write() throws IOException {
    Files.createDirectories(folder);
    return Files.writeString(folder.resolve("task.yaml"), text);
  }

  /** Has a way back, whose changes this role applies. */
  public TaskFolder fallback(String user) throws IOException {
    return replacing(
        "data-dir:",
        "fallback:\n  user: %s\n  http: 127.0.0.1:%d\ndata-dir:".formatted(user, FreePort.find()));
  }

  /** Writes the file, and reads it as a daemon would. */
  public TaskConfig config() throws IOException {
    return TaskFile.read(write());
  }
}
