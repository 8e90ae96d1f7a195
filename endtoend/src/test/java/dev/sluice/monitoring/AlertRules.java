package dev.sluice.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;

/** The alerts in {@code monitoring/sluice-alerts.yaml}. Stateless. */
public final class AlertRules {
  /** By its path from the checkout's root. */
  public static final Path FILE = Path.of("monitoring/sluice-alerts.yaml");

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private AlertRules() {}

  /**
   * An alert. Immutable; what the file does not say is empty.
   *
   * @param lasts how long the expression must hold, as Prometheus writes it; empty if it need not
   * @param summary what was found, with Prometheus' template of the task in front
   * @param description what to do
   * @param page of the documents, by its path from the checkout's root
   */
  public record Alert(
      String name,
      String expression,
      String lasts,
      String severity,
      String summary,
      String description,
      String page) {

    /** The summary without the names and figures that Prometheus puts in. */
    public String meaning() {
      String text =
          summary
              .replaceFirst("^(\\{\\{.*?}} ?)+: ", "")
              .replaceFirst(" of the kind \\{\\{.*?}}", "")
              .replaceAll("the table \\{\\{.*?}}", "a table")
              .replaceAll(": \\{\\{.*?}}( rows)?$", "");
      return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
  }

  /**
   * Reads the alerts in their order.
   *
   * @param root of the checkout
   */
  public static List<Alert> read(Path root) throws IOException {
    List<Alert> alerts = new ArrayList<>();
    for (JsonNode rule : tree(root.resolve(FILE)).at("/groups/0/rules")) {
      alerts.add(
          new Alert(
              rule.path("alert").asText(),
              rule.path("expr").asText(),
              rule.path("for").asText(),
              rule.at("/labels/severity").asText(),
              rule.at("/annotations/summary").asText(),
              rule.at("/annotations/description").asText(),
              rule.at("/annotations/page").asText()));
    }
    return alerts;
  }

  /** The alerts that a file of cases for {@code promtool test rules} expects. */
  static List<String> expected(Path cases) throws IOException {
    return StreamSupport.stream(tree(cases).path("tests").spliterator(), false)
        .flatMap(test -> test.findValuesAsText("labels").stream())
        .toList();
  }

  private static JsonNode tree(Path file) throws IOException {
    return YAML.readTree(file.toFile());
  }
}
