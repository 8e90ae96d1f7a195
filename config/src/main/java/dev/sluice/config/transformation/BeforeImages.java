package dev.sluice.config.transformation;

import java.util.List;
import java.util.Locale;

/**
 * The before-image columns that a rule adds to target tables. Each has the value of another column
 * before the row's last update; before the first update it is NULL. Immutable.
 *
 * @param rule the id of the transformation rule, for messages
 * @param prefix of the columns' names; may be empty
 * @param suffix of the columns' names; may be empty
 * @param filter which columns have a before image
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
   * @param column its name on the target
   */
  String nameFor(String column) {
    return prefix + column + suffix;
  }

  /**
   * Whether a column has a before image.
   *
   * @param type on the source, as {@code format_type} prints it
   * @param key whether the column belongs to the primary key
   */
  boolean takes(String type, boolean key) {
    return switch (filter) {
      case PK_ONLY -> key;
      case NON_LOB -> key || !LobLimits.isCut(type);
      case ALL -> true;
    };
  }

  /** Whether the log must have complete old rows. */
  public boolean needWholeRows() {
    return filter != Filter.PK_ONLY;
  }

  /** For messages: {@code BI_%, non-lob}. */
  @Override
  public String toString() {
    return prefix + "%" + suffix + ", " + filter.text();
  }
}
