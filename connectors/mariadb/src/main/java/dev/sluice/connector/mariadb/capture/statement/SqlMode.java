package dev.sluice.connector.mariadb.capture.statement;

/**
 * What the sql_mode of a session makes of its statements. Immutable.
 *
 * @param strict whether a value that does not fit is an error; else it is changed
 * @param ordinary whether types have their own names and texts no blanks in addition
 * @param ownEngine whether an engine that is written is the table's, or an error
 */
public record SqlMode(boolean strict, boolean ordinary, boolean ownEngine) {
  private static final long STRICT = 1 << 21 | 1 << 22;
  private static final long NO_ENGINE_SUBSTITUTION = 1L << 30;

  /**
   * REAL_AS_FLOAT, the modes of other databases from POSTGRESQL to MAXDB, PAD_CHAR_TO_FULL_LENGTH.
   */
  private static final long OTHER_TYPES = 1 | 0x1F << 8 | 1L << 31;

  /** Of the bits that the log has of it. */
  static SqlMode of(long bits) {
    return new SqlMode(
        (bits & STRICT) != 0, (bits & OTHER_TYPES) == 0, (bits & NO_ENGINE_SUBSTITUTION) != 0);
  }

  /** Fails if a type may not be what its name says. */
  void requireOrdinary() throws NotFollowed {
    if (!ordinary) {
      throw new NotFollowed(
          "types have other names in the session's sql_mode, or texts are filled with blanks");
    }
  }
}
