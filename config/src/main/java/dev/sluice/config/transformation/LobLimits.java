package dev.sluice.config.transformation;

import dev.sluice.config.TableId;
import java.util.Map;
import java.util.Set;

/**
 * The sizes at which values are cut, from LimitedSizeLobMode and the lob-settings of tables.
 * Immutable.
 *
 * @param all for tables without a rule, in KB; 0: values stay complete
 * @param tables the same for those with a rule, by their names on the source
 */
public record LobLimits(long all, Map<TableId, Long> tables) {
  public static final LobLimits NONE = new LobLimits(0, Map.of());

  private static final int UNITS_OF_A_KB = 1024;

  /** Only types whose values can be cut and remain valid. */
  private static final Set<String> CUT = Set.of("text", "character varying", "bytea");

  public LobLimits {
    tables = Map.copyOf(tables);
  }

  /** The limit in characters of a text or bytes of a bytea; 0: values stay complete. */
  public long of(TableId table) {
    return tables.getOrDefault(table, all) * UNITS_OF_A_KB;
  }

  /** Whether any value may be cut. */
  public boolean cuts() {
    return all > 0 || tables.values().stream().anyMatch(limit -> limit > 0);
  }

  /** Whether values of a type can be cut; the type as {@code format_type} prints it. */
  public static boolean isCut(String type) {
    return CUT.contains(type);
  }
}
