package dev.sluice.config.settings;

import java.time.Duration;
import java.util.List;

/**
 * DMS's ControlTablesSettings section. Immutable.
 *
 * @param controlSchema the target schema of checkpoints and control tables
 * @param historyTable whether the table sluice_history is written
 * @param historyTimeslot the length of its time slots, in whole minutes
 * @param statusTable whether the table sluice_status is written
 */
public record ControlTablesSettings(
    String controlSchema, boolean historyTable, Duration historyTimeslot, boolean statusTable) {

  public static final String DEFAULT_SCHEMA = "sluice_control";

  static final String SECTION = "ControlTablesSettings";
  static final String TIMESLOT = SECTION + ".HistoryTimeslotInMinutes";
  static final String OTHER_SPELLING = SECTION + ".historyTimeslotInMinutes";

  static final List<Setting> SETTINGS =
      List.of(
          Setting.text(
              SECTION,
              "ControlSchema",
              "a schema name",
              DEFAULT_SCHEMA,
              "schema on the target that holds checkpoints and control tables; empty means the"
                  + " default, where DMS takes public"),
          Setting.toggle(
              SECTION,
              "HistoryTableEnabled",
              false,
              "true: sluice_history counts changes by time slot and table, in the transaction that"
                  + " applies them"),
          timeslot("HistoryTimeslotInMinutes", "length of a slot of sluice_history"),
          timeslot("historyTimeslotInMinutes", "the same, as DMS also spells it"),
          Setting.toggle(
              SECTION,
              "StatusTableEnabled",
              false,
              "true: sluice_status is written every five seconds"),
          Setting.toggle(
                  SECTION, "SuspendedTablesTableEnabled", false, "DMS: write this control table")
              .notApplicable(
                  "sluice_suspended_tables is always written: a suspended table continues from the"
                      + " position in it"),
          Setting.toggle(
                  SECTION, "FullLoadExceptionTableEnabled", false, "DMS: write this control table")
              .notApplicable("a load stops at a bad row and names it"),
          Setting.toggle(
                  SECTION, "CommitPositionTableEnabled", false, "DMS: write this control table")
              .notApplicable("the table checkpoint always has the position"));

  private static Setting timeslot(String name, String meaning) {
    return Setting.count(SECTION, name, "minutes", 1, 10_080, 5, meaning);
  }

  static ControlTablesSettings from(SettingValues values) {
    String schema = values.text(SECTION, "ControlSchema");
    return new ControlTablesSettings(
        schema.isEmpty() ? DEFAULT_SCHEMA : schema,
        values.toggle(SECTION, "HistoryTableEnabled"),
        Duration.ofMinutes(values.count(SECTION, "HistoryTimeslotInMinutes")),
        values.toggle(SECTION, "StatusTableEnabled"));
  }
}
