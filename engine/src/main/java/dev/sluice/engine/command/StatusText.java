package dev.sluice.engine.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.Counted;
import dev.sluice.config.DataSize;
import dev.sluice.engine.progress.ProgressText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Lays a status page out for a terminal. */
final class StatusText {
  private final JsonNode status;
  private final StringBuilder text = new StringBuilder();

  StatusText(JsonNode status) {
    this.status = status;
  }

  String text() {
    line(
        "task",
        "%s: %s since %s (%s)",
        word("/task"),
        word("/phase"),
        word("/since"),
        word("/reason"));
    if (status.path("problem").isTextual()) {
      line("problem", "%s", word("/problem"));
    }
    if (status.path("ddl").isTextual()) {
      line("ddl", "%s", word("/ddl"));
    }
    line(
        "source",
        "%s, %,.0f rows/s, %.1f s behind; the source keeps %s of log for the slot %s",
        word("/source/position"),
        number("/throughput/source_rows_per_second"),
        number("/latency/source_seconds"),
        size("/source/retained_bytes"),
        word("/source/slot"));
    line(
        "target",
        "%s, %,.0f rows/s, %.1f s behind; durable up to %s",
        word("/target/position"),
        number("/throughput/target_rows_per_second"),
        number("/latency/target_seconds"),
        word("/target/durable"));
    line(
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
    completion();
    cutover();
    errors();
    tables();
    return text.toString();
  }

  private void load() {
    JsonNode load = status.path("full_load");
    if (load.isObject()) {
      line(
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
      line(
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
    line("windows", "%,d applied%s", count("/windows/applied"), tail);
  }

  private void lanes() {
    for (JsonNode lane : status.path("lanes")) {
      int tables = lane.path("tables").size();
      line(
          lane.path("lane").asText(),
          "%s, %.1f s behind; %,d changes applied, %,d waiting; %s",
          lane.path("position").asText(),
          lane.path("behind_seconds").asDouble(),
          lane.path("changes").asLong(),
          lane.path("backlog").asLong(),
          tables == 0 ? "all other tables" : tables == 1 ? "1 table" : tables + " tables");
    }
  }

  /** What is not at its default, and what an edit of the files has left open. */
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
    line("settings", "%s", others.isEmpty() ? "all at their defaults" : String.join("; ", others));
    settings
        .path("problems")
        .forEach(problem -> line("", "the files have a problem: %s", problem.asText()));
    settings
        .path("waiting_for_restart")
        .forEach(waiting -> line("", "waits for the next start: %s", waiting.asText()));
  }

  private void cutover() {
    JsonNode cutover = status.path("cutover");
    if (cutover.isObject()) {
      line("cutover", "%s: %s", cutover.path("result").asText(), cutover.path("step").asText());
    }
  }

  /** How far the tables' indexes and constraints are; each that is under way or failed by name. */
  private void completion() {
    JsonNode steps = status.path("completion");
    if (steps.isEmpty()) {
      return;
    }
    int done = 0;
    double seconds = 0;
    List<JsonNode> named = new ArrayList<>();
    for (JsonNode step : steps) {
      switch (step.path("state").asText()) {
        case "done" -> {
          done++;
          seconds += step.path("seconds").asDouble();
        }
        case "waiting" -> {}
        default -> named.add(step);
      }
    }
    line(
        "tables",
        "%,d of %,d indexes, constraints and the like done, in %,.1f s of work",
        done,
        steps.size(),
        seconds);
    for (JsonNode step : named) {
      String detail = step.path("detail").asText();
      line(
          "",
          "%s: %s %s, %.1f s%s",
          step.path("state").asText(),
          step.path("kind").asText(),
          step.path("name").asText(),
          step.path("seconds").asDouble(),
          detail.isEmpty() ? "" : ": " + detail);
    }
  }

  private void errors() {
    for (JsonNode table : status.path("tables")) {
      long cut = table.path("values_cut").asLong();
      if (cut > 0) {
        line(
            "cut",
            "%s of %s.%s, as LimitedSizeLobMode or its lob-settings ask",
            Counted.of(cut, "value"),
            table.path("schema").asText(),
            table.path("table").asText());
      }
    }
    long conflicts = 0;
    for (JsonNode table : status.path("tables")) {
      conflicts += table.path("conflicts").asLong();
    }
    if (conflicts > 0) {
      line("left out", "%s, see sluice_apply_exceptions", Counted.of(conflicts, "change"));
    }
    for (JsonNode table : status.path("suspended")) {
      suspended(table);
    }
  }

  private void suspended(JsonNode table) {
    String name = table.path("schema").asText() + "." + table.path("table").asText();
    String since = table.path("since").asText();
    String reason = table.path("reason").asText();
    String kept =
        String.format(
            Locale.ROOT,
            "the journal is kept from offset %,d",
            table.path("journal_offset").asLong());
    switch (table.path("state").asText()) {
      case "reloading" ->
          line(
              "reloading",
              " %s: %,d rows copied; %s for it (since %s: %s)",
              name,
              table.path("rows_copied").asLong(),
              kept,
              since,
              reason);
      case "catching-up" ->
          line(
              "catches up",
              " %s: at %s, behind the others by %,d journal records%s (since %s: %s)",
              name,
              table.path("position").asText(),
              table.path("behind_records").asLong(),
              table.path("behind_seconds").isNumber()
                  ? String.format(Locale.ROOT, ", %.1f s", table.path("behind_seconds").asDouble())
                  : "",
              since,
              reason);
      default ->
          line(
              "suspended",
              " %s since %s, from %s on; %s for it: %s%s",
              name,
              since,
              table.path("first_missing").asText(),
              kept,
              reason,
              table.path("rows_whole").asBoolean(true)
                  ? ""
                  : "; its rows are not whole, reload it");
    }
  }

  /** What was counted before that is not known: the target keeps it only where asked to. */
  private void tables() {
    line("counts", "of changes are those since the daemon's start at %s", word("/started"));
    text.append(
        String.format(
            Locale.ROOT,
            "%n%-40s %-23s %12s %12s %12s %12s %12s%n",
            "table",
            "state",
            "loaded",
            "inserts",
            "updates",
            "deletes",
            "applied"));
    for (JsonNode table : status.path("tables")) {
      text.append(
          String.format(
              Locale.ROOT,
              "%-40s %-23s %,12d %,12d %,12d %,12d %,12d%n",
              table.path("schema").asText() + "." + table.path("table").asText(),
              table.path("state").asText(),
              table.path("full_load_rows").asLong(),
              table.path("inserts").asLong(),
              table.path("updates").asLong(),
              table.path("deletes").asLong(),
              table.path("applied_inserts").asLong()
                  + table.path("applied_updates").asLong()
                  + table.path("applied_deletes").asLong()));
    }
  }

  private void line(String name, String format, Object... values) {
    text.append(String.format(Locale.ROOT, "%-9s", name))
        .append(String.format(Locale.ROOT, format, values))
        .append(System.lineSeparator());
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
