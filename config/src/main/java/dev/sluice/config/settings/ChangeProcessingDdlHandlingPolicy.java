package dev.sluice.config.settings;

import java.util.List;

/**
 * DMS's section of the same name: which DDL of the source is applied on the target. Immutable.
 *
 * @param handleSourceTableTruncated true: a TRUNCATE truncates the target table too
 * @param handleSourceTableDropped true: a dropped table is dropped on the target too
 * @param handleSourceTableAltered true: an altered table is altered on the target too
 */
public record ChangeProcessingDdlHandlingPolicy(
    boolean handleSourceTableTruncated,
    boolean handleSourceTableDropped,
    boolean handleSourceTableAltered) {

  static final String SECTION = "ChangeProcessingDdlHandlingPolicy";

  static final List<Setting> SETTINGS =
      List.of(
          Setting.toggle(
              SECTION,
              "HandleSourceTableTruncated",
              true,
              "true: a TRUNCATE on the source empties the target table too; false: it is ignored"),
          Setting.toggle(
              SECTION,
              "HandleSourceTableDropped",
              true,
              "true: a table dropped on the source is dropped on the target too; false: it stays"),
          Setting.toggle(
              SECTION,
              "HandleSourceTableAltered",
              true,
              "true: columns, types, names and partitions altered on the source are altered on the"
                  + " target too; false: they stay, columns that the target lacks are skipped, and"
                  + " those that the source lacks are NULL in new rows"));

  /** All DDL is applied. */
  public static ChangeProcessingDdlHandlingPolicy everything() {
    return new ChangeProcessingDdlHandlingPolicy(true, true, true);
  }

  static ChangeProcessingDdlHandlingPolicy from(SettingValues values) {
    return new ChangeProcessingDdlHandlingPolicy(
        values.toggle(SECTION, "HandleSourceTableTruncated"),
        values.toggle(SECTION, "HandleSourceTableDropped"),
        values.toggle(SECTION, "HandleSourceTableAltered"));
  }
}
