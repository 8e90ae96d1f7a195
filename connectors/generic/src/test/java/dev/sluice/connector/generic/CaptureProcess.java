package dev.sluice.connector.generic;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.generic.process.ConnectorFolder;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

/** A capture in a process of its own, which can be killed. */
final class CaptureProcess {
  private static final String CONNECTOR = "connector.";

  private CaptureProcess() {}

  static Process start(CaptureRun run, Path folder) {
    Properties all = new Properties();
    run.connectorProperties().forEach((name, value) -> all.put(CONNECTOR + name, value));
    all.put("connector", run.connector().name());
    all.put("folder", folder.toString());
    all.put("task", run.task());
    all.put("schema", run.schema());
    all.put("brokers", run.brokers());
    all.put("term", String.valueOf(run.term()));
    all.put("start", run.start().toString());
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  // It lives for seconds: what takes longer than it saves is left out.
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-XX:+UnlockDiagnosticVMOptions",
                  "-XX:-BytecodeVerificationRemote",
                  "-cp",
                  System.getProperty("java.class.path"),
                  CaptureProcess.class.getName())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try (var input = process.outputWriter(StandardCharsets.UTF_8)) {
        all.store(input, null);
      }
      return process;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  public static void main(String[] args) throws Exception {
    Properties all = new Properties();
    all.load(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Map<String, String> connector =
        all.stringPropertyNames().stream()
            .filter(name -> name.startsWith(CONNECTOR))
            .collect(
                Collectors.toMap(name -> name.substring(CONNECTOR.length()), all::getProperty));
    CaptureRun run =
        new CaptureRun(
            KnownConnector.valueOf(all.getProperty("connector")),
            connector,
            all.getProperty("task"),
            all.getProperty("schema"),
            all.getProperty("brokers"),
            Long.parseLong(all.getProperty("term")),
            Position.parse(all.getProperty("start")));
    GenericCapture capture =
        run.start(
            new ConnectorFolder(Path.of(all.getProperty("folder"))),
            List.of(CaptureFixture.describe(run.schema(), "a", "id int", "t text")),
            dev.sluice.connector.api.JournalTopics.ofTask(run.task()));
    while (capture.failure().isEmpty()) {
      Thread.sleep(1_000);
    }
    System.exit(1);
  }
}
