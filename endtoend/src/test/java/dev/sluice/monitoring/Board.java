package dev.sluice.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Grafana's board in {@code monitoring/sluice-board.json}. Immutable. */
public final class Board {
  /** By its path from the checkout's root. */
  public static final Path FILE = Path.of("monitoring/sluice-board.json");

  private final JsonNode tree;

  private Board(JsonNode tree) {
    this.tree = tree;
  }

  /**
   * Reads it.
   *
   * @param root of the checkout
   */
  public static Board read(Path root) throws IOException {
    return new Board(new ObjectMapper().readTree(root.resolve(FILE).toFile()));
  }

  JsonNode tree() {
    return tree;
  }

  /** Its panels that show something. */
  List<JsonNode> plots() {
    List<JsonNode> plots = new ArrayList<>();
    for (JsonNode panel : tree.path("panels")) {
      if (!panel.path("type").asText().equals("row")) {
        plots.add(panel);
      }
    }
    return plots;
  }

  /**
   * Every expression, as Grafana sends it.
   *
   * @param task the one that is chosen
   */
  public List<String> expressions(String task) {
    return plots().stream()
        .flatMap(panel -> panel.path("targets").findValuesAsText("expr").stream())
        .map(text -> text.replace("$__rate_interval", "5m").replace("$task", task))
        .toList();
  }
}
