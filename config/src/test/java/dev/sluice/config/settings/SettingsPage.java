package dev.sluice.config.settings;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The tables of {@code docs/operate/settings.md}, written from the descriptions of the settings.
 */
public final class SettingsPage {
  private static final String ALL = "settings";
  private static final String OF_TABLES = "table-settings";

  private SettingsPage() {}

  /** The page with its tables written again; everything outside of the markers stays. */
  public static String update(String page) {
    String sections =
        SettingCatalogue.SECTIONS.stream()
            .map(SettingsPage::section)
            .collect(Collectors.joining("\n"));
    String tables =
        "| setting | unit | range | meaning |\n| --- | --- | --- | --- |\n"
            + BatchApplyOverride.SECTION.settings().stream()
                .map(SettingsPage::tableLine)
                .collect(Collectors.joining());
    return between(OF_TABLES, tables, between(ALL, sections, page));
  }

  private static String between(String name, String text, String page) {
    String begin = "<!-- " + name + ": begin -->\n";
    String end = "<!-- " + name + ": end -->\n";
    int from = page.indexOf(begin);
    int to = page.indexOf(end);
    if (from < 0 || to < from) {
      throw new IllegalStateException("the page lacks the marker " + begin.strip());
    }
    return page.substring(0, from + begin.length()) + "\n" + text + "\n" + page.substring(to);
  }

  private static String tableLine(Setting<?> setting) {
    return "| `%s` | %s | %s | %s |\n"
        .formatted(
            setting.name(),
            setting.type().unit(),
            setting.refusals().isEmpty() ? setting.type().range() : "false only",
            setting.meaning());
  }

  private static String section(Section section) {
    List<String> lines = section.settings().stream().map(SettingsPage::line).toList();
    return "## "
        + (section.name().isEmpty() ? "Top of the document" : section.name())
        + "\n\n| setting | unit | default | range | effect | meaning |\n"
        + "| --- | --- | --- | --- | --- | --- |\n"
        + String.join("\n", lines)
        + "\n";
  }

  private static String line(Setting<?> setting) {
    return "| `%s` | %s | %s | %s | %s | %s |"
        .formatted(
            setting.name(),
            setting.type().unit(),
            setting.shownDefault(),
            setting.type().range(),
            effect(setting),
            setting.meaning());
  }

  private static String effect(Setting<?> setting) {
    String only =
        setting.refusals().stream()
            .map(refusal -> ", " + refusal.allowed() + " only: " + refusal.reason())
            .collect(Collectors.joining());
    if (!only.isEmpty()) {
      return setting.effect() + only;
    }
    if (setting.live()) {
      return setting.effect() + ", live";
    }
    return setting.effect() + (setting.reason().isEmpty() ? "" : ": " + setting.reason());
  }
}
