package dev.sluice.engine.status;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The task settings that have an effect. Immutable.
 *
 * @param inEffect by name
 * @param tables settings of single tables, from the mapping rules
 * @param changes the last changes while the task ran, oldest first
 * @param problems of the files as they are now; the settings stay until they are fixed
 * @param waitingForRestart edited settings that take effect at the next start
 */
public record SettingsStatus(
    Map<String, Setting> inEffect,
    Map<String, String> tables,
    List<Change> changes,
    List<String> problems,
    List<String> waitingForRestart) {
  static final SettingsStatus UNKNOWN =
      new SettingsStatus(Map.of(), Map.of(), List.of(), List.of(), List.of());

  public SettingsStatus {
    inEffect = mapOf(inEffect);
    tables = mapOf(tables);
    changes = TaskStatus.listOf(changes);
    problems = TaskStatus.listOf(problems);
    waitingForRestart = TaskStatus.listOf(waitingForRestart);
  }

  /** In the same order; empty if the page does not have it. */
  private static <T> Map<String, T> mapOf(Map<String, T> values) {
    return values == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }

  /**
   * @param value with its unit
   * @param from {@code default}, {@code file} or {@code tune}
   * @param live whether a running task accepts another value
   * @param effective the value in effect of a memory limit; null if that is {@code value}
   */
  public record Setting(String value, String from, boolean live, String effective) {}

  public record Change(Instant at, String from, String setting, String before, String after) {}
}
