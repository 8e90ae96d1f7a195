package dev.sluice.engine.command.display;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.Counted;
import dev.sluice.config.settings.DataSize;
import dev.sluice.engine.progress.ProgressText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats a status page for a terminal. */
public final class StatusText {
  private final JsonNode status;
  private final StatusLines lines = new StatusLines();

  public StatusText(JsonNode status) {
    this.status = status;
  }

  public String text() {
    lines.add(
        "task",
        "%s: %s since %s (%s)",
        word("/task"),
        word("/phase"),
        word("/since"),
        word("/reason"));
    if (status.path("problem").isTextual()) {
      lines.add("problem", "%s", word("/problem"));
    }
    for (JsonNode endpoint : status.path("endpoints")) {
      if (endpoint.path("problem").isTextual()) {
        lines.add(
            "away",
            "%s, last answer at %s: %s",
            endpoint.path("name").asText(),
            endpoint.path("last_ok").asText("-"),
            endpoint.path("problem").asText());
      }
    }
    if (status.path("ddl").isTextual()) {
      lines.add("ddl", "%s", word("/ddl"));
    }
    lines.add(
        "source",
        "%s, %,.0f rows/s, %.1f s behind; the source keeps %s of log for the slot %s",
        word("/source/position"),
        number("/throughput/source_rows_per_second"),
        number("/latency/source_seconds"),
        size("/source/retained_bytes"),
        word("/source/slot"));
    lines.add(
        "target",
        "%s, %,.0f rows/s, %.1f s behind; durable up to %s",
        word("/target/position"),
        number("/throughput/target_rows_per_second"),
        number("/latency/target_seconds"),
        word("/target/durable"));
    lines.add(
        "waiting",
        "%s; memory %s of %s; swap %s of %s; journal %s",
        Counted.of(count("/backlog/changes"), "change"),
        size("/memory/bytes"),
        size("/memory/limit_bytes"),
        size("/swap/bytes"),
        size("/swap/limit_bytes"),
        size("/journal/bytes"));
    load();
    guards();
    windows();
    lanes();
    settings();
    TablesText tables = new TablesText(status, lines);
    tables.completion();
    cutover();
    tables.exceptions();
    tables.counts();
    return lines.toString();
  }

  private void load() {
    JsonNode load = status.path("full_load");
    if (load.isObject()) {
      lines.add(
          "load",
          "%s%s",
          ProgressText.plain(LoadWatch.item(load)),
          status.at("/throughput/throttled").asBoolean()
              ? "; throttled by LoadRowsPerSecond or LoadMegabytesPerSecond"
              : "");
    }
  }

  private void guards() {
    for (JsonNode guard : status.path("guards")) {
      String level = guard.path("level").asText();
      lines.add(
          "room",
          "%s: %s%s",
          guard.path("name").asText(),
          guard.path("words").asText(),
          level.equals("fine") ? "" : " (" + level + ")");
    }
  }

  private void windows() {
    JsonNode last = status.at("/windows/last");
    String tail =
        last.isObject()
            ? String.format(
                Locale.ROOT,
                "; the last closed by %s: %s -> %,d net in %,d ms",
                last.path("reason").asText(),
                Counted.of(last.path("changes").asLong(), "change"),
                last.path("net_changes").asLong(),
                last.path("milliseconds").asLong())
            : "";
    lines.add("windows", "%,d applied%s", count("/windows/applied"), tail);
  }

  private void lanes() {
    for (JsonNode lane : status.path("lanes")) {
      int tables = lane.path("tables").size();
      lines.add(
          lane.path("lane").asText(),
          "%s, %.1f s behind; %,d changes applied, %,d waiting; %s",
          lane.path("position").asText(),
          lane.path("behind_seconds").asDouble(),
          lane.path("changes").asLong(),
          lane.path("backlog").asLong(),
          tables == 0 ? "all other tables" : tables == 1 ? "1 table" : tables + " tables");
    }
  }

  /** The settings that differ from their defaults, and edits of the files not in effect. */
  private void settings() {
    JsonNode settings = status.path("settings");
    List<String> others = new ArrayList<>();
    settings
        .path("in_effect")
        .properties()
        .forEach(
            setting -> {
              String from = setting.getValue().path("from").asText();
              if (!from.equals("default")) {
                String path = setting.getKey();
                others.add(
                    "%s %s (%s)"
                        .formatted(
                            path.substring(path.lastIndexOf('.') + 1),
                            setting.getValue().path("value").asText(),
                            from));
              }
            });
    settings
        .path("tables")
        .properties()
        .forEach(table -> others.add(table.getKey() + ": " + table.getValue().asText()));
    lines.add(
        "settings", "%s", others.isEmpty() ? "all at their defaults" : String.join("; ", others));
    settings
        .path("problems")
        .forEach(problem -> lines.add("", "the files have a problem: %s", problem.asText()));
    settings
        .path("waiting_for_restart")
        .forEach(waiting -> lines.add("", "waits for the next start: %s", waiting.asText()));
  }

  private void cutover() {
    JsonNode cutover = status.path("cutover");
    if (cutover.isObject()) {
      lines.add(
          "cutover", "%s: %s", cutover.path("result").asText(), cutover.path("step").asText());
    }
    JsonNode watch = status.path("source_watch");
    if (watch.isObject()) {
      lines.add(
          "",
          "%s on the source since the cutover, checked at %s%s",
          Counted.of(watch.path("changes").asLong(), "change"),
          watch.path("looked_at").asText(),
          watch.path("unwatched").isTextual()
              ? "; it cannot be watched at present: " + watch.path("unwatched").asText()
              : "");
    }
  }

  private String word(String path) {
    JsonNode node = status.at(path);
    return node.isTextual() ? node.asText() : "-";
  }

  private double number(String path) {
    return status.at(path).asDouble();
  }

  private long count(String path) {
    return status.at(path).asLong();
  }

  private String size(String path) {
    return DataSize.ofBytes(Math.max(0, count(path))).toString();
  }
}
