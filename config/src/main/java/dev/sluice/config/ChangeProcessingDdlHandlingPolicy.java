package dev.sluice.config;

import java.util.List;

/**
 * DMS's section of the same name. Immutable.
 *
 * @param handleSourceTableTruncated true: a TRUNCATE on the source empties the target table too
 */
public record ChangeProcessingDdlHandlingPolicy(boolean handleSourceTableTruncated) {

  static final String SECTION = "ChangeProcessingDdlHandlingPolicy";

  private static final String NO_DDL = "DDL is not replicated yet";

  static final List<Setting> SETTINGS =
      List.of(
          Setting.toggle(
                  SECTION,
                  "HandleSourceTableTruncated",
                  true,
                  "true: a TRUNCATE on the source empties the target table too")
              .only(true, "ignoring a TRUNCATE is not built yet"),
          Setting.toggle(
                  SECTION, "HandleSourceTableDropped", true, "DMS: drop it on the target too")
              .notYet(NO_DDL),
          Setting.toggle(
                  SECTION, "HandleSourceTableAltered", true, "DMS: alter it on the target too")
              .notYet(NO_DDL));

  static ChangeProcessingDdlHandlingPolicy from(SettingValues values) {
    return new ChangeProcessingDdlHandlingPolicy(
        values.toggle(SECTION, "HandleSourceTableTruncated"));
  }
}
