package dev.sluice.config.transformation;

import dev.sluice.config.TableId;
import java.util.Map;
import java.util.Set;

/**
 * Where values are cut, as LimitedSizeLobMode and the lob-settings of tables ask for it. Immutable.
 *
 * @param all for tables without a rule, in KB; 0: values stay whole
 * @param tables the same for those with a rule, by their names on the source
 */
public record LobLimits(long all, Map<TableId, Long> tables) {
  public static final LobLimits NONE = new LobLimits(0, Map.of());

  private static final int UNITS_OF_A_KB = 1024;

  /** What has no part that is a value of the same type is never cut. */
  private static final Set<String> CUT = Set.of("text", "character varying", "bytea");

  public LobLimits {
    tables = Map.copyOf(tables);
  }

  /** Characters of a text, and bytes of a bytea, that are kept; 0: values stay whole. */
  public long of(TableId table) {
    return tables.getOrDefault(table, all) * UNITS_OF_A_KB;
  }

  /** Whether any value may be cut. */
  public boolean cuts() {
    return all > 0 || tables.values().stream().anyMatch(limit -> limit > 0);
  }

  /** Whether values of a type, as PostgreSQL writes it, are cut. */
  public static boolean isCut(String type) {
    return CUT.contains(type);
  }
}
