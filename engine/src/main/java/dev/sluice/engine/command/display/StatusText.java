package dev.sluice.engine.command.display;

import dev.sluice.config.Counted;
import dev.sluice.config.settings.DataSize;
import dev.sluice.engine.progress.ProgressText;
import dev.sluice.engine.status.CutoverStatus;
import dev.sluice.engine.status.FallbackStatus;
import dev.sluice.engine.status.SettingsStatus;
import dev.sluice.engine.status.SourceWatchStatus;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.engine.status.ValidationStatus;
import dev.sluice.engine.status.WindowsStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats a status page for a terminal. */
public final class StatusText {
  /** So many tables of the validation are listed. */
  private static final int MOST_TABLES = 10;

  private final TaskStatus status;
  private final StatusLines lines = new StatusLines();

  public StatusText(TaskStatus status) {
    this.status = status;
  }

  public String text() {
    lines.add(
        "task",
        "%s: %s since %s (%s)",
        word(status.task()),
        word(status.phase()),
        word(status.since()),
        word(status.reason()));
    if (status.problem() != null) {
      lines.add("problem", "%s", status.problem());
    }
    for (TaskStatus.Endpoint endpoint : status.endpoints()) {
      if (endpoint.problem() != null) {
        lines.add(
            "away",
            "%s, last answer at %s: %s",
            endpoint.name(),
            word(endpoint.lastOk()),
            endpoint.problem());
      }
    }
    if (status.ddl() != null) {
      lines.add("ddl", "%s", status.ddl());
    }
    lines.add(
        "source",
        "%s, %,.0f rows/s, %s behind; the source keeps %s of log for %s",
        word(status.source().position()),
        status.throughput().sourceRowsPerSecond(),
        seconds(status.latency().sourceSeconds()),
        size(status.source().retainedBytes()),
        word(status.source().retention()));
    lines.add(
        "target",
        "%s, %,.0f rows/s, %s behind; durable up to %s",
        word(status.target().position()),
        status.throughput().targetRowsPerSecond(),
        seconds(status.latency().targetSeconds()),
        word(status.target().durable()));
    lines.add(
        "waiting",
        "%s; memory %s of %s; swap %s of %s; journal %s",
        Counted.of(status.backlog().changes(), "change"),
        size(status.memory().bytes()),
        size(status.memory().limitBytes()),
        size(status.swap().bytes()),
        size(status.swap().limitBytes()),
        size(status.journal().bytes()));
    load();
    guards();
    windows();
    lanes();
    settings();
    TablesText tables = new TablesText(status, lines);
    validation();
    tables.completion();
    cutover();
    fallback();
    tables.exceptions();
    tables.counts();
    return lines.toString();
  }

  private void load() {
    if (status.fullLoad() != null) {
      lines.add(
          "load",
          "%s%s",
          ProgressText.plain(LoadWatch.item(status.fullLoad())),
          status.throughput().throttled()
              ? "; throttled by LoadRowsPerSecond or LoadMegabytesPerSecond"
              : "");
    }
  }

  private void guards() {
    for (TaskStatus.Guard guard : status.guards()) {
      String level = guard.level();
      lines.add(
          "room",
          "%s: %s%s",
          guard.name(),
          guard.words(),
          level.equals("fine") ? "" : " (" + level + ")");
    }
  }

  private void windows() {
    WindowsStatus.Last last = status.windows().last();
    String tail =
        last != null
            ? String.format(
                Locale.ROOT,
                "; the last closed by %s: %s -> %,d net in %,d ms",
                last.reason(),
                Counted.of(last.changes(), "change"),
                last.netChanges(),
                last.milliseconds())
            : "";
    lines.add("windows", "%,d applied%s", status.windows().applied(), tail);
    if (status.windows().plan() != null) {
      lines.add("auto", "%s", status.windows().plan().words());
    }
  }

  private void lanes() {
    for (TaskStatus.Lane lane : status.lanes()) {
      int tables = lane.tables().size();
      lines.add(
          lane.lane(),
          "%s, %s behind; %,d changes applied, %,d waiting; %s",
          lane.position(),
          seconds(lane.behindSeconds()),
          lane.changes(),
          lane.backlog(),
          tables == 0 ? "all other tables" : tables == 1 ? "1 table" : tables + " tables");
    }
  }

  /** The settings that differ from their defaults, and edits of the files not in effect. */
  private void settings() {
    SettingsStatus settings = status.settings();
    List<String> others = new ArrayList<>();
    settings
        .inEffect()
        .forEach(
            (path, setting) -> {
              if (!setting.from().equals("default")) {
                others.add(
                    "%s %s (%s)"
                        .formatted(
                            path.substring(path.lastIndexOf('.') + 1),
                            setting.value(),
                            setting.from()));
              }
            });
    settings.tables().forEach((table, setting) -> others.add(table + ": " + setting));
    lines.add(
        "settings", "%s", others.isEmpty() ? "all at their defaults" : String.join("; ", others));
    settings.problems().forEach(problem -> lines.add("", "the files have a problem: %s", problem));
    settings
        .waitingForRestart()
        .forEach(waiting -> lines.add("", "waits for the next start: %s", waiting));
  }

  private void validation() {
    ValidationStatus validation = status.validation();
    if (validation == null) {
      return;
    }
    lines.add(
        "proof",
        "%,d of %s proven equal; %,d rows differ%s, %,d pending, %,d suspended, %,d changed since%s",
        validation.provenTables(),
        Counted.of(validation.tables().size(), "table"),
        validation.failed(),
        rejected(validation.rejected()),
        validation.pending(),
        validation.suspended(),
        validation.touched(),
        validation.waiting() == null ? "" : "; waits: " + validation.waiting());
    if (validation.start() != null) {
      lines.add("", "%s", validation.start());
    }
    List<ValidationStatus.Table> found =
        validation.worst(validation.tables().size()).stream()
            .filter(ValidationStatus.Table::hasFindings)
            .toList();
    found.stream().limit(MOST_TABLES).forEach(this::validated);
    if (found.size() > MOST_TABLES) {
      lines.add("", "and %,d more: sluice status --json", found.size() - MOST_TABLES);
    }
  }

  private void validated(ValidationStatus.Table table) {
    lines.add(
        "",
        "%s.%s: %s: %,d differ%s, %,d pending, %,d suspended, %,d changed since%s",
        table.schema(),
        table.table(),
        table.state(),
        table.failed(),
        rejected(table.rejected()),
        table.pending(),
        table.suspended(),
        table.touched(),
        table.problem() == null ? "" : "; " + table.problem());
  }

  private static String rejected(long rows) {
    return rows == 0 ? "" : " (%,d of them rejected by the target)".formatted(rows);
  }

  private void cutover() {
    CutoverStatus cutover = status.cutover();
    if (cutover != null) {
      lines.add("cutover", "%s: %s", cutover.result(), cutover.step());
    }
    SourceWatchStatus watch = status.sourceWatch();
    if (watch != null) {
      lines.add(
          "",
          "%s on the source since the cutover, checked at %s%s",
          Counted.of(watch.changes(), "change"),
          watch.lookedAt(),
          watch.unwatched() != null
              ? "; it cannot be watched at present: " + watch.unwatched()
              : "");
    }
  }

  private void fallback() {
    FallbackStatus back = status.fallback();
    if (back == null) {
      return;
    }
    lines.add(
        "way back",
        "%s%s%s%s; the new side keeps %s of log for it, at most %s%s",
        back.state(),
        back.since() == null ? "" : " since " + back.since(),
        back.canaryMillis() == null
            ? ""
            : "; canary %d ms, at %s".formatted(back.canaryMillis(), word(back.canaryAt())),
        back.lagSeconds() == null ? "" : "; " + seconds(back.lagSeconds()) + " behind",
        size(back.keptBytes()),
        size(back.limitBytes()),
        back.readBytes() == null || back.readBytes() == 0
            ? ""
            : "; %s of it for open transactions there".formatted(size(back.readBytes())));
    back.blocks().forEach(block -> lines.add("", "it is blocked: %s", block));
  }

  private static String word(Object value) {
    return value == null ? "-" : value.toString();
  }

  private static String seconds(Double value) {
    return value == null ? "-" : String.format(Locale.ROOT, "%.1f s", value);
  }

  private static String size(Long bytes) {
    return bytes == null ? "-" : DataSize.ofBytes(Math.max(0, bytes)).toString();
  }
}
