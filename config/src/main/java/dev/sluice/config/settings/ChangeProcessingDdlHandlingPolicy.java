package dev.sluice.config.settings;

/** DMS's section of the same name: which DDL of the source is applied on the target. */
public final class ChangeProcessingDdlHandlingPolicy {

  static final Section SECTION = new Section("ChangeProcessingDdlHandlingPolicy");

  public static final Setting<Boolean> HANDLE_SOURCE_TABLE_TRUNCATED =
      SECTION.add(
          Setting.toggle(
              "HandleSourceTableTruncated",
              true,
              "true: a TRUNCATE on the source empties the target table too; false: it is ignored"));

  public static final Setting<Boolean> HANDLE_SOURCE_TABLE_DROPPED =
      SECTION.add(
          Setting.toggle(
              "HandleSourceTableDropped",
              true,
              "true: a table dropped on the source is dropped on the target too; false: it stays"));

  public static final Setting<Boolean> HANDLE_SOURCE_TABLE_ALTERED =
      SECTION.add(
          Setting.toggle(
              "HandleSourceTableAltered",
              true,
              "true: columns, types, names and partitions altered on the source are altered on the"
                  + " target too; false: they stay, columns that the target lacks are skipped, and"
                  + " those that the source lacks are NULL in new rows"));

  private ChangeProcessingDdlHandlingPolicy() {}
}
