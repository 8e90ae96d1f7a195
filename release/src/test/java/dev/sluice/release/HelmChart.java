package dev.sluice.release;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The chart, as helm renders it with values of a test. */
final class HelmChart {
  static final Path DIRECTORY = Path.of("src/helm/sluice");
  static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private static final long MINUTES = 10;

  private final Path folder;

  /**
   * @param folder for files of the test
   */
  HelmChart(Path folder) {
    this.folder = folder;
  }

  static boolean isHelmThere() {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "helm")));
  }

  /** The values of a user: the example of a task file, with what the chart does not set itself. */
  static String values() throws IOException {
    String task =
        Files.readAllLines(Path.of("src/examples/full-load-and-cdc.yaml")).stream()
            .filter(line -> !line.startsWith("#"))
            .filter(line -> !line.startsWith("data-dir:") && !line.startsWith("http:"))
            .reduce("", (text, line) -> text + "  " + line + "\n");
    return "task:\n"
        + task
        + "secrets:\n"
        + "  - {variable: SOURCE_PASSWORD, secret: shop, key: source-password}\n"
        + "  - {variable: TARGET_PASSWORD, secret: shop, key: target-password}\n";
  }

  /** The rendered objects by their kind, of which each occurs once. */
  Map<String, JsonNode> render(String values) throws Exception {
    Result result = helm("template", values);
    if (result.exitCode() != 0) {
      throw new AssertionError(result.output());
    }
    Map<String, JsonNode> objects = new HashMap<>();
    try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(result.output())) {
      while (documents.hasNext()) {
        JsonNode object = documents.next();
        if (objects.put(object.path("kind").asText(), object) != null) {
          throw new AssertionError("two objects of kind " + object.path("kind"));
        }
      }
    }
    return objects;
  }

  /** Runs a command of helm on the chart. */
  Result helm(String command, String values) throws Exception {
    Path file = Files.writeString(Files.createTempFile(folder, "values", ".yaml"), values);
    Path output = Files.createTempFile(folder, "helm", ".out");
    Path errors = Files.createTempFile(folder, "helm", ".err");
    List<String> line = new ArrayList<>(List.of("helm", command));
    if (command.equals("template")) {
      line.add("shop");
    }
    line.addAll(List.of(DIRECTORY.toString(), "--values", file.toString()));
    Process process =
        new ProcessBuilder(line)
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
        throw new AssertionError(line + " does not end");
      }
    } finally {
      process.destroyForcibly();
    }
    int exitCode = process.exitValue();
    return new Result(
        exitCode, exitCode == 0 ? Files.readString(output) : Files.readString(errors));
  }

  /** What helm has written, to standard error where it failed. */
  record Result(int exitCode, String output) {}
}
