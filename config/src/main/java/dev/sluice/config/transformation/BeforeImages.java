package dev.sluice.config.transformation;

import java.util.List;
import java.util.Locale;

/**
 * The further columns that a rule gives tables on the target: each has what another column had
 * before the row's last update, and is NULL until then. Immutable.
 *
 * @param rule the id of the transformation rule, for messages
 * @param prefix of the columns' names; empty where there is none
 * @param suffix of the columns' names; empty where there is none
 * @param filter which columns have one
 */
public record BeforeImages(String rule, String prefix, String suffix, Filter filter) {

  /** By the name that DMS gives it, with {@code -} for {@code _}. */
  enum Filter {
    PK_ONLY,
    NON_LOB,
    ALL;

    static final List<String> TEXTS = List.of(values()).stream().map(Filter::text).toList();

    static Filter of(String text) {
      return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * @param column as the target's table calls it
   */
  String nameFor(String column) {
    return prefix + column + suffix;
  }

  /**
   * Whether a column has one.
   *
   * @param type on the source, as {@code format_type} prints it
   * @param key whether the column is of the primary key
   */
  boolean takes(String type, boolean key) {
    return switch (filter) {
      case PK_ONLY -> key;
      case NON_LOB -> key || !LobLimits.isCut(type);
      case ALL -> true;
    };
  }

  /** Whether values are asked for that the log has in whole old rows only. */
  public boolean needWholeRows() {
    return filter != Filter.PK_ONLY;
  }

  /** For people: {@code BI_%, non-lob}. */
  @Override
  public String toString() {
    return prefix + "%" + suffix + ", " + filter.text();
  }
}
