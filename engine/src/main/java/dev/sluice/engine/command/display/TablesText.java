package dev.sluice.engine.command.display;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.Counted;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the part of a status page about tables. */
final class TablesText {
  private final JsonNode status;
  private final StatusLines lines;

  TablesText(JsonNode status, StatusLines lines) {
    this.status = status;
    this.lines = lines;
  }

  /** Adds the progress of the tables' indexes and constraints; running and failed ones by name. */
  void completion() {
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
    lines.add(
        "tables",
        "%,d of %,d indexes, constraints and the like done, in %,.1f s of work",
        done,
        steps.size(),
        seconds);
    for (JsonNode step : named) {
      String detail = step.path("detail").asText();
      lines.add(
          "",
          "%s: %s %s, %.1f s%s",
          step.path("state").asText(),
          step.path("kind").asText(),
          step.path("name").asText(),
          step.path("seconds").asDouble(),
          detail.isEmpty() ? "" : ": " + detail);
    }
  }

  /** Adds truncated values, rejected changes, and tables that are not applied with the others. */
  void exceptions() {
    for (JsonNode table : status.path("tables")) {
      long cut = table.path("values_cut").asLong();
      if (cut > 0) {
        lines.add(
            "cut",
            "%s of %s, as LimitedSizeLobMode or its lob-settings ask",
            Counted.of(cut, "value"),
            nameOf(table));
      }
    }
    long conflicts = 0;
    for (JsonNode table : status.path("tables")) {
      conflicts += table.path("conflicts").asLong();
    }
    if (conflicts > 0) {
      lines.add("rejected", "%s, see sluice_apply_exceptions", Counted.of(conflicts, "change"));
    }
    for (JsonNode table : status.path("suspended")) {
      suspended(table);
    }
  }

  private void suspended(JsonNode table) {
    String name = nameOf(table);
    String since = table.path("since").asText();
    String reason = table.path("reason").asText();
    String kept =
        String.format(
            Locale.ROOT,
            "the journal is kept from offset %,d",
            table.path("journal_offset").asLong());
    switch (table.path("state").asText()) {
      case "reloading" ->
          lines.add(
              "reloading",
              " %s: %,d rows copied; %s for it (since %s: %s)",
              name,
              table.path("rows_copied").asLong(),
              kept,
              since,
              reason);
      case "catching-up" ->
          lines.add(
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
          lines.add(
              "suspended",
              " %s since %s, from %s on; %s for it: %s%s",
              name,
              since,
              table.path("first_missing").asText(),
              kept,
              reason,
              table.path("rows_whole").asBoolean(true)
                  ? ""
                  : "; its rows are not complete, reload it");
    }
  }

  /** What was counted before that is not known: the target keeps it only where asked to. */
  void counts() {
    lines.add(
        "counts",
        "of changes are those since the daemon's start at %s",
        status.path("started").asText("-"));
    lines.addRow(
        "%n%-40s %-23s %12s %12s %12s %12s %12s",
        "table", "state", "loaded", "inserts", "updates", "deletes", "applied");
    for (JsonNode table : status.path("tables")) {
      lines.addRow(
          "%-40s %-23s %,12d %,12d %,12d %,12d %,12d",
          nameOf(table),
          table.path("state").asText(),
          table.path("full_load_rows").asLong(),
          table.path("inserts").asLong(),
          table.path("updates").asLong(),
          table.path("deletes").asLong(),
          table.path("applied_inserts").asLong()
              + table.path("applied_updates").asLong()
              + table.path("applied_deletes").asLong());
    }
  }

  private static String nameOf(JsonNode table) {
    return table.path("schema").asText() + "." + table.path("table").asText();
  }
}
