package dev.sluice.config;

import java.util.List;

/**
 * DMS's ControlTablesSettings section. Immutable.
 *
 * @param controlSchema the target schema of checkpoints and exceptions
 */
public record ControlTablesSettings(String controlSchema) {

  public static final String DEFAULT_SCHEMA = "sluice_control";

  static final String SECTION = "ControlTablesSettings";

  private static final String STATUS_INSTEAD =
      "this control table is not written yet; `sluice status` shows the same";

  static final List<Setting> SETTINGS =
      List.of(
          Setting.text(
              SECTION,
              "ControlSchema",
              "a schema name",
              DEFAULT_SCHEMA,
              "schema on the target that holds checkpoints and exceptions; empty means the default,"
                  + " where DMS takes public"),
          Setting.count(
                  SECTION,
                  "HistoryTimeslotInMinutes",
                  "minutes",
                  1,
                  10_080,
                  5,
                  "slot of the history")
              .notYet(STATUS_INSTEAD),
          Setting.count(
                  SECTION,
                  "historyTimeslotInMinutes",
                  "minutes",
                  1,
                  10_080,
                  5,
                  "the same, as DMS also spells it")
              .notYet(STATUS_INSTEAD),
          table("HistoryTableEnabled"),
          table("SuspendedTablesTableEnabled"),
          table("StatusTableEnabled"),
          table("FullLoadExceptionTableEnabled"),
          table("CommitPositionTableEnabled"));

  private static Setting table(String name) {
    return Setting.toggle(SECTION, name, false, "DMS: write this control table")
        .notYet(STATUS_INSTEAD);
  }

  static ControlTablesSettings from(SettingValues values) {
    String schema = values.text(SECTION, "ControlSchema");
    return new ControlTablesSettings(schema.isEmpty() ? DEFAULT_SCHEMA : schema);
  }
}
