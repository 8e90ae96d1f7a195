package dev.sluice.config.settings;

/** DMS's ControlTablesSettings section: the control schema, and which of its tables are written. */
public final class ControlTablesSettings {

  public static final String DEFAULT_SCHEMA = "sluice_control";

  static final Section SECTION = new Section("ControlTablesSettings");

  public static final Setting<String> CONTROL_SCHEMA =
      SECTION.add(
          Setting.text(
              "ControlSchema",
              "a schema name",
              DEFAULT_SCHEMA,
              "schema on the target that holds checkpoints and control tables; empty means the"
                  + " default, where DMS takes public"));

  public static final Setting<Boolean> HISTORY_TABLE_ENABLED =
      SECTION.add(
          Setting.toggle(
              "HistoryTableEnabled",
              false,
              "true: sluice_history counts changes by time slot and table, in the transaction that"
                  + " applies them"));

  public static final Setting<Integer> HISTORY_TIMESLOT_IN_MINUTES =
      SECTION.add(timeslot("HistoryTimeslotInMinutes", "length of a slot of sluice_history"));

  static final Setting<Integer> OTHER_SPELLING =
      SECTION.add(
          timeslot("historyTimeslotInMinutes", "the same, as DMS also spells it").notInConnect());

  public static final Setting<Boolean> STATUS_TABLE_ENABLED =
      SECTION.add(
          Setting.toggle(
                  "StatusTableEnabled", false, "true: sluice_status is written every five seconds")
              .notInConnect());

  static final Setting<Boolean> SUSPENDED_TABLES_TABLE_ENABLED =
      SECTION.add(
          Setting.toggle("SuspendedTablesTableEnabled", false, "DMS: write this control table")
              .notApplicable(
                  "sluice_suspended_tables is always written: a suspended table continues from the"
                      + " position in it"));

  static final Setting<Boolean> FULL_LOAD_EXCEPTION_TABLE_ENABLED =
      SECTION.add(
          Setting.toggle("FullLoadExceptionTableEnabled", false, "DMS: write this control table")
              .notApplicable("a load stops at a bad row and names it"));

  static final Setting<Boolean> COMMIT_POSITION_TABLE_ENABLED =
      SECTION.add(
          Setting.toggle("CommitPositionTableEnabled", false, "DMS: write this control table")
              .notApplicable("the table checkpoint always has the position"));

  private ControlTablesSettings() {}

  private static Setting<Integer> timeslot(String name, String meaning) {
    return Setting.count(name, "minutes", 1, 10_080, 5, meaning);
  }
}
